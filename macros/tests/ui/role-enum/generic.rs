use toolwright::RoleEnum;

#[derive(RoleEnum)]
enum AgentRole<const N: usize> {
    Quality,
}

fn main() {}

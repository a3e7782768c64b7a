use toolwright::RoleEnum;

#[derive(RoleEnum)]
#[role("quality")]
enum AgentRole {
    Quality,
}

fn main() {}

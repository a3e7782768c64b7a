use toolwright::RoleEnum;

#[derive(RoleEnum)]
enum AgentRole {
    Qualität,
}

fn main() {}

use toolwright::RoleEnum;

#[derive(RoleEnum)]
enum AgentRole {
    Quality { team: String },
    Transform,
}

fn main() {}

use toolwright::Role;

#[derive(Role)]
enum AgentRole {
    Quality { team: String },
    Transform,
}

fn main() {}

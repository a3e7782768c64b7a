use toolwright::Role;

#[derive(Role)]
enum AgentRole {
    Qualität,
}

fn main() {}

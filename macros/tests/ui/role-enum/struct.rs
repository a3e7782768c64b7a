use toolwright::Role;

#[derive(Role)]
struct AgentRole;

fn main() {}

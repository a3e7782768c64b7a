use toolwright::Role;

#[derive(Role)]
enum AgentRole {}

fn main() {}

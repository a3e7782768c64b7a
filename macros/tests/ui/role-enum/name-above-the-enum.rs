use toolwright::Role;

#[derive(Role)]
#[role("quality")]
enum AgentRole {
    Quality,
}

fn main() {}

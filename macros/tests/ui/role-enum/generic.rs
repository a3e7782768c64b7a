use toolwright::Role;

#[derive(Role)]
enum AgentRole<const N: usize> {
    Quality,
}

fn main() {}

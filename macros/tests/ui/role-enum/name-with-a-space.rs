use toolwright::Role;

#[derive(Role)]
enum AgentRole {
    #[role("code review")]
    CodeReview,
}

fn main() {}

use toolwright::Role;

#[derive(Role)]
enum AgentRole {
    #[role("code_review")]
    #[role("review")]
    CodeReview,
}

fn main() {}

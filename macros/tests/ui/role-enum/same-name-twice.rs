use toolwright::Role;

#[derive(Role)]
enum AgentRole {
    CodeReview,
    #[role("code-review")]
    Review,
}

fn main() {}

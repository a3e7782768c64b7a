use toolwright::Role;

#[derive(Role)]
enum AgentRole {
    #[role(code_review)]
    CodeReview,
}

fn main() {}

use toolwright::RoleEnum;

#[derive(RoleEnum)]
enum AgentRole {
    #[role("code_review")]
    #[role("review")]
    CodeReview,
}

fn main() {}

use toolwright::RoleEnum;

#[derive(RoleEnum)]
enum AgentRole {
    #[role(code_review)]
    CodeReview,
}

fn main() {}

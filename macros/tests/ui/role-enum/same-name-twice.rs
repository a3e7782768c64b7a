use toolwright::RoleEnum;

#[derive(RoleEnum)]
enum AgentRole {
    CodeReview,
    #[role("code-review")]
    Review,
}

fn main() {}

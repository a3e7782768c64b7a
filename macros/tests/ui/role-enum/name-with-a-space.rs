use toolwright::RoleEnum;

#[derive(RoleEnum)]
enum AgentRole {
    #[role("code review")]
    CodeReview,
}

fn main() {}

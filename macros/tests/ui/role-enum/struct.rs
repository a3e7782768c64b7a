use toolwright::RoleEnum;

#[derive(RoleEnum)]
struct AgentRole;

fn main() {}

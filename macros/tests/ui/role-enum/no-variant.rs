use toolwright::RoleEnum;

#[derive(RoleEnum)]
enum AgentRole {}

fn main() {}

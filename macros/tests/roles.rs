//! The enum of roles.

use toolwright::{Role, RoleEnum};

#[derive(Clone, Copy, Debug, PartialEq, RoleEnum)]
enum AgentRole {
    Quality,
    CodeReview,
    #[role("schema_owner")]
    Owner,
    S3Reader = 7,
}

#[test]
fn a_role_has_the_name_of_its_variant_or_the_one_that_is_written() {
    let names: Vec<_> = AgentRole::ALL.iter().map(RoleEnum::name).collect();
    assert_eq!(
        names,
        ["quality", "code-review", "schema_owner", "s3-reader"]
    );
}

#[test]
fn a_variant_is_a_role() {
    assert_eq!(AgentRole::Owner.role(), Role::new("schema_owner").unwrap());
    assert_eq!(Role::from(AgentRole::CodeReview).as_str(), "code-review");
}

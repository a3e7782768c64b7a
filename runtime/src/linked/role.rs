//! Roles as the program's own enum.

use toolwright_model::Role;

/// A program's own enum of roles. Derive it with [`derive@crate::RoleEnum`], which checks the
/// names.
///
/// The compiler checks a role that is a path; a misspelt string would only be found by an agent.
/// `Role` implements `From` for it too.
///
/// ```
/// use toolwright::{Role, RoleEnum};
///
/// #[derive(RoleEnum)]
/// enum AgentRole {
///     Quality,
///     #[role("code_review")]
///     CodeReview,
/// }
///
/// assert_eq!(AgentRole::Quality.role(), Role::new("quality").unwrap());
/// assert_eq!(AgentRole::CodeReview.name(), "code_review");
/// assert_eq!(AgentRole::ALL.len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of roles",
    label = "not a role",
    note = "a role is a variant of an enum with `#[derive(toolwright::RoleEnum)]`"
)]
pub trait RoleEnum: Sized + 'static {
    /// Every role, in the order of the enum.
    const ALL: &'static [Self];

    /// Returns the name of the role: the variant's in kebab case, or the one in `#[role("…")]`.
    fn name(&self) -> &'static str;

    /// The role.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "the derive refuses a name that `Role::new` refuses, by calling it"
    )]
    fn role(&self) -> Role {
        Role::new(self.name()).expect("a derived role has a name that is one")
    }
}

//! Who may what: the roles, the tools of one, the reason of a decision, and the effect of an edited
//! policy.

mod matrix;
mod overview;
mod preview;
mod role;
mod why;

pub(crate) use matrix::matrix;
pub(crate) use overview::overview;
pub(crate) use preview::{edit, preview};
pub(crate) use role::role;
pub(crate) use why::{asked, why};

use maud::{Markup, html};
use toolwright::Role;

use crate::{console::Console, refusal::Refusal};

/// The parts, each with its path and its title.
const PARTS: [(&str, &str); 3] = [
    ("/access", "Roles"),
    (matrix::PATH, "Tools and roles"),
    ("/preview", "Try a policy"),
];

/// Shows the parts.
fn parts(console: &Console, current: &str) -> Markup {
    html! {
        nav.tabs aria-label="Who may what" {
            @for (path, title) in PARTS {
                a href=(console.path(path)) aria-current=[(path == current).then_some("page")] { (title) }
            }
        }
    }
}

/// Returns the declared role of a name.
fn declared(console: &Console, name: &str) -> Result<Role, Refusal> {
    let role = name.parse::<Role>().ok();
    let role = role.filter(|role| console.registry().has_role(role));
    role.ok_or_else(|| Refusal::not_found(console, "There is no such role."))
}

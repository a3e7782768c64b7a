//! The tool attribute and the role derive of Toolwright.
//!
//! Depend on `toolwright`, which exports both. What they make is built on the `linked` module of
//! `toolwright`, by absolute paths.

mod problems;
mod role;
mod tool;

use proc_macro::TokenStream;

/// Registers an `async fn` as a tool, for the roles that it names and for no other.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(attribute.into(), item.into()).into()
}

/// Makes the program's own enum of roles usable in `roles(…)`, in grants and in `for_agent`.
#[proc_macro_derive(Role, attributes(role))]
pub fn derive_role(item: TokenStream) -> TokenStream {
    role::expand(item.into()).into()
}

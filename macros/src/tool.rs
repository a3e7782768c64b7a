//! `#[tool]`: parse, check, emit. Nothing but `compile_error!` is emitted while there is a
//! problem, and the user's item is passed through in every case: unchanged, but for the
//! documentation of its parameters, which rustc does not accept there.

mod attribute;
mod check;
mod documentation;
mod emit;
mod form;
mod function;
mod governance;
mod name;
mod record;
mod roles;
mod scope;
mod signature;
mod taken;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Type;

use crate::problems::{Problem, Problems};
use attribute::ToolAttribute;
pub(crate) use function::undocumented;

/// Returns the item unchanged, followed by its registration or by its errors.
///
/// A tool is `async` whether it waits for something or not, so the lint against that is off.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    let site = Site {
        owner: None,
        attribute: Span::call_site(),
    };
    let registration = register(attribute, item.clone(), site, &mut problems);
    let item = undocumented(item);
    match registration {
        Some(registration) if problems.is_empty() => {
            quote!(#[allow(clippy::unused_async)] #item #registration)
        }
        _ => quote!(#item #problems),
    }
}

/// The place of a tool.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    /// The type that it is a method of.
    pub(crate) owner: Option<&'a Type>,
    /// The place of its attribute, where something is absent in it.
    pub(crate) attribute: Span,
}

/// The registration of a function or a method.
pub(crate) fn register(
    attribute: TokenStream,
    item: TokenStream,
    site: Site<'_>,
    problems: &mut Problems,
) -> Option<TokenStream> {
    let attribute = ToolAttribute::parse(attribute, problems);
    let function = syn::parse2(item).map_err(|error| {
        Problem::at(error.span(), error.to_string())
            .note("an agent calls a tool by its name with JSON arguments")
            .help("write `async fn NAME(ctx: &ToolContext, …) -> Result<OUTPUT, ToolError>`")
    });
    let function = problems.keep(function)?;
    let tool = check::check(attribute, function, site, problems)?;
    problems.is_empty().then(|| emit::registration(&tool))
}

//! `#[tool]`: parse, check, emit. Nothing but `compile_error!` is emitted while there is a
//! problem, and the user's item is passed through unchanged in every case.

mod attribute;
mod check;
mod documentation;
mod emit;
mod form;
mod function;
mod governance;
mod name;
mod roles;
mod signature;
mod verbs;

use proc_macro2::TokenStream;
use quote::quote;

use crate::problems::{Problem, Problems};
use attribute::ToolAttribute;
use function::ToolFunction;

/// The item as it was written, followed by its registration or by what is wrong.
///
/// A tool is `async` whether it waits for something or not, so the lint against that is off.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    let attribute = ToolAttribute::parse(attribute, &mut problems);
    let function = parse_function(&item, &mut problems);
    let tool = function.and_then(|function| check::check(attribute, function, &mut problems));
    match tool {
        Some(tool) if problems.is_empty() => {
            let registration = emit::registration(&tool);
            quote!(#[allow(clippy::unused_async)] #item #registration)
        }
        _ => quote!(#item #problems),
    }
}

fn parse_function(item: &TokenStream, problems: &mut Problems) -> Option<ToolFunction> {
    let parsed = syn::parse2(item.clone()).map_err(|error| {
        Problem::at(error.span(), error.to_string()).help(
            "write `async fn NAME(ctx: &ToolContext, input: INPUT) -> Result<OUTPUT, ToolError>`",
        )
    });
    problems.keep(parsed)
}

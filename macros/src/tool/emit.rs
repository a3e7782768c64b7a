//! The registration of a tool: one function whose address the linker collects.
//!
//! All paths are absolute, and every name that is declared here is inside of `const _`. What is
//! written is as little as there can be, since every tool is compiled with it: one function, which
//! is asked what the tool is and which carries out a call, and one literal for all that is known
//! here.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{
    check::CheckedTool,
    name::CheckedName,
    record,
    roles::Roles,
    signature::{Argument, Input},
};

/// Returns the registration that follows the function.
pub(super) fn registration(tool: &CheckedTool<'_>) -> TokenStream {
    let private = match &tool.crate_path {
        Some(toolwright) => quote_spanned!(toolwright.span()=> #toolwright::linked::private),
        None => quote!(::toolwright::linked::private),
    };
    let cfgs = &tool.cfgs;
    let unique = unique(&tool.name);
    let record = record::render(tool);
    let function = function_name(tool);
    let roles = match &tool.roles {
        Roles::Granted(variants) => variants.as_slice(),
        Roles::Nobody => &[],
    };
    let output = &tool.signature.output;
    let sandbox = tool.sandbox.as_ref().map(|lacking| {
        let ask = ask();
        quote_spanned!(lacking.span()=> #ask.confine(#lacking);)
    });
    let (item, alone) = match tool.owner {
        Some(_) => (quote!(_), None),
        None => {
            let item = marker_name(&tool.function);
            (item.to_token_stream(), Some(quote!(#item;)))
        }
    };
    let ask = ask();
    let call = call(tool);
    quote! {
        #(#cfgs)*
        const #item: () = {
            #unique

            use #private as __toolwright;

            fn __tool<'a>(#ask: &mut __toolwright::Ask<'a>) -> __toolwright::Answer<'a> {
                use __toolwright::Undescribed as _;

                #alone
                #ask.declare(
                    #record,
                    ::core::module_path!(),
                    #function,
                    &[#(__toolwright::role(#roles)),*],
                );
                #sandbox
                __toolwright::Described::<#output>::describe(
                    #ask,
                    <#output as __toolwright::ReturnType>::schema,
                );
                #call
            }

            __toolwright::link!(__tool);
        };
    }
}

/// Returns an item that a crate can declare only once. Two tools of one name are then an error at
/// both names, and its message contains the item's name. In most cases `taken` reports the error
/// first and better.
///
/// An exported macro is named in the root of its crate, in whichever module it is defined.
fn unique(name: &CheckedName) -> TokenStream {
    let place = Span::mixed_site().located_at(name.span);
    let ident = format_ident!(
        "duplicate_tool_name_in_this_crate__{}",
        name.name.replace('-', "_")
    );
    quote_spanned! {place=>
        #[allow(non_local_definitions)]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! #ident { () => {}; }
    }
}

/// Returns the name of the emitted item next to a function. The item refers to itself.
///
/// In an `impl` block without `#[tools]`, which the attribute cannot detect, the item becomes a
/// part of the block and its bare name does not resolve. So rustc's error contains this name.
fn marker_name(function: &Ident) -> Ident {
    let text = "IN_AN_IMPL_BLOCK_A_TOOL_NEEDS_THE_ATTRIBUTE_TOOLS_ABOVE_THE_BLOCK";
    format_ident!(
        "{text}__{function}",
        span = Span::mixed_site().located_at(function.span())
    )
}

/// Returns the name of the function, with its type's name as prefix if it is a method.
fn function_name(tool: &CheckedTool<'_>) -> String {
    let function = &tool.function;
    match tool.owner {
        Some(owner) => format!("{}::{function}", quote!(#owner)).replace(' ', ""),
        None => function.to_string(),
    }
}

/// Returns the call, if there is one to carry out.
///
/// A type that does not fit is an error at the user's own code: the trait bounds have the spans of
/// the user's tokens, and so do the tokens made here.
fn call(tool: &CheckedTool<'_>) -> TokenStream {
    let signature = &tool.signature;
    let (context, output) = (&signature.context, &signature.output);
    let place = Span::mixed_site().located_at(tool.function.span());
    let (ask, function) = (ask(), &tool.function);
    let state = tool.owner.filter(|_| signature.has_receiver);
    let arguments = match &signature.input {
        Input::Nothing => Vec::new(),
        Input::One(only) => vec![read(only, "only")],
        Input::Named(arguments) => arguments.iter().map(|one| read(one, "argument")).collect(),
    };
    let state = state.map(|owner| {
        // All of it has the span of the user's own token: rustc reports two errors of one place
        // once.
        quote_spanned!(owner.span()=> <#owner as __toolwright::State<_>>::from_ask(#ask))
    });
    let context = quote!(<#context as __toolwright::Context>::from_ask(#ask));
    let values = state.into_iter().chain([context]).chain(arguments);
    let values: Vec<_> = values.collect();
    let variable = |at| format_ident!("parameter_{at}", span = Span::mixed_site());
    let passed: Vec<Ident> = (0..values.len()).map(variable).collect();
    let called = match (tool.owner, passed.split_first()) {
        (Some(_), Some((state, passed))) if signature.has_receiver => {
            quote_spanned!(place=> #state.#function(#(#passed),*))
        }
        (Some(owner), _) => quote_spanned!(place=> <#owner>::#function(#(#passed),*)),
        (None, _) => quote_spanned!(place=> #function(#(#passed),*)),
    };
    quote_spanned! {place=>
        let (#(::core::option::Option::Some(#passed),)*) = (#(#values,)*) else {
            return #ask.end();
        };
        <#output as __toolwright::ReturnType>::run(#called)
    }
}

/// Returns the tokens that read an argument, or end the call.
fn read(argument: &Argument, step: &str) -> TokenStream {
    let Argument {
        name,
        description,
        ty,
    } = argument;
    let (ask, step) = (ask(), Ident::new(step, Span::call_site()));
    quote!(<#ty as __toolwright::ToolInput<_>>::#step(#ask, #name, #description))
}

/// The parameter of the function that is written, which nothing of the user's can refer to.
fn ask() -> Ident {
    Ident::new("ask", Span::mixed_site())
}

//! The registration of a tool: one function whose address the linker collects.
//!
//! All paths are absolute, and every name that is declared here is inside of `const _`. What is written
//! is as little as there can be, since every tool is compiled with it: one function, which is asked what
//! the tool is and which carries out a call, and one literal for all that is known here.

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

/// The registration, to stand beside the function.
pub(super) fn registration(tool: &CheckedTool<'_>) -> TokenStream {
    let private = match &tool.crate_path {
        Some(toolwright) => quote_spanned!(toolwright.span()=> #toolwright::linked::private),
        None => quote!(::toolwright::linked::private),
    };
    let cfgs = &tool.cfgs;
    let unique = unique(&tool.name);
    let record = record::of(tool);
    let function = function_name(tool);
    let roles = match &tool.roles {
        Roles::Granted(variants) => variants.as_slice(),
        Roles::Nobody => &[],
    };
    let output = &tool.signature.output;
    let (item, alone) = match tool.owner {
        Some(_) => (quote!(_), None),
        None => {
            let item = alone(&tool.function);
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
                __toolwright::Described::<#output>::describe(
                    #ask,
                    <#output as __toolwright::ToolReturn>::schema,
                );
                #call
            }

            __toolwright::link!(__tool);
        };
    }
}

/// An item of which a crate can have one: two tools of one name are an error at both names, whose
/// message has the item's name. Mostly `taken` has told it better before.
///
/// An exported macro is named in the root of its crate, whatever the module that it stands in.
fn unique(name: &CheckedName) -> TokenStream {
    let place = Span::mixed_site().located_at(name.span);
    let ident = format_ident!(
        "two_tools_of_this_crate_have_the_name__{}",
        name.name.replace('-', "_")
    );
    quote_spanned! {place=>
        #[allow(non_local_definitions)]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! #ident { () => {}; }
    }
}

/// The name of what stands beside a function, which it refers to itself by.
///
/// Beside a function of an `impl` block without `#[tools]`, which the attribute cannot tell from others, it
/// is a part of the block, where nothing is found by its name alone. So rustc's error has this name.
fn alone(function: &Ident) -> Ident {
    let text = "IN_AN_IMPL_BLOCK_A_TOOL_NEEDS_THE_ATTRIBUTE_TOOLS_ABOVE_THE_BLOCK";
    format_ident!(
        "{text}__{function}",
        span = Span::mixed_site().located_at(function.span())
    )
}

/// The name of the function, behind that of its type if it is a method.
fn function_name(tool: &CheckedTool<'_>) -> String {
    let function = &tool.function;
    match tool.owner {
        Some(owner) => format!("{}::{function}", quote!(#owner)).replace(' ', ""),
        None => function.to_string(),
    }
}

/// The call, when there is one to carry out.
///
/// A type that does not fit is an error where the user wrote it: the traits are asked for on the
/// user's own tokens, and what is made here has the place of what it is made for.
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
        // All of it is the user's own token: rustc tells two errors of one place once.
        quote_spanned!(owner.span()=> <#owner as __toolwright::State<_>>::of(#ask))
    });
    let context = quote!(<#context as __toolwright::Context>::of(#ask));
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
        <#output as __toolwright::ToolReturn>::run(#called)
    }
}

/// What a parameter is given, or nothing.
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

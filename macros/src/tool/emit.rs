//! The registration of a tool: one function whose address the linker collects.
//!
//! All paths are absolute, and every name that is declared here is inside of `const _`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use toolwright_model::{Governance, Hints};

use super::{
    check::CheckedTool,
    governance::Class,
    name::CheckedName,
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
    let facts = facts(tool);
    let roles = roles(&tool.roles);
    let calls = calls(tool);
    quote! {
        #(#cfgs)*
        #unique
        #(#cfgs)*
        const _: () = {
            use #private as __toolwright;

            fn declare() -> __toolwright::Declaration {
                use __toolwright::Undescribed as _;

                __toolwright::Declaration {
                    #facts
                    #roles
                    #calls
                }
            }

            __toolwright::link!(declare);
        };
    }
}

/// An item of which a crate can have one: two tools of one name are an error at both names.
///
/// An exported macro is named in the root of its crate, whatever the module that it stands in.
fn unique(name: &CheckedName) -> TokenStream {
    let place = Span::mixed_site().located_at(name.span);
    let ident = format_ident!("__two_tools_are_named__{}", name.name.replace('-', "_"));
    quote_spanned! {place=>
        #[allow(non_local_definitions)]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! #ident { () => {}; }
    }
}

/// What the tool is.
fn facts(tool: &CheckedTool<'_>) -> TokenStream {
    let name = &tool.name.name;
    let service = &tool.name.service;
    let title = text_or(tool.title.as_ref(), &tool.name.title);
    let section = text_or(tool.section.as_ref(), service);
    let short = &tool.documentation.short;
    let description = &tool.documentation.description;
    let when_to_use = option(tool.documentation.when_to_use.as_ref());
    let reason = option(tool.reason.as_ref());
    let function = function_name(tool);
    let Class { kind, governance } = &tool.class;
    let kind = format_ident!("{kind:?}");
    let governance = governance_tokens(governance);
    quote! {
        name: #name,
        service: #service,
        title: #title,
        section: #section,
        short: #short,
        description: #description,
        when_to_use: #when_to_use,
        reason: #reason,
        kind: __toolwright::Kind::#kind,
        governance: #governance,
        module: ::core::module_path!(),
        function: #function,
    }
}

fn governance_tokens(governance: &Governance) -> TokenStream {
    let Governance {
        category,
        effect,
        approval_required,
        hints,
        enabled_by_default,
    } = governance;
    let Hints {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = hints;
    let category = format_ident!("{category:?}");
    let effect = format_ident!("{effect:?}");
    quote! {
        __toolwright::Governance {
            category: __toolwright::Category::#category,
            effect: __toolwright::Effect::#effect,
            approval_required: #approval_required,
            hints: __toolwright::Hints {
                read_only: #read_only,
                destructive: #destructive,
                idempotent: #idempotent,
                open_world: #open_world,
            },
            enabled_by_default: #enabled_by_default,
        }
    }
}

fn roles(roles: &Roles) -> TokenStream {
    let variants = match roles {
        Roles::Granted(variants) => variants.as_slice(),
        Roles::Nobody => &[],
    };
    quote! {
        roles: __toolwright::Vec::from([#(__toolwright::role(#variants)),*]),
    }
}

/// The name of the function, behind that of its type if it is a method.
fn function_name(tool: &CheckedTool<'_>) -> String {
    let function = &tool.function;
    match tool.owner {
        Some(owner) => format!("{}::{function}", quote!(#owner)).replace(' ', ""),
        None => function.to_string(),
    }
}

/// How the tool is called, and what its schemas are.
///
/// A type that does not fit is an error where the user wrote it: the traits are asked for on the
/// user's own tokens, and what is made here has the place of what it is made for.
fn calls(tool: &CheckedTool<'_>) -> TokenStream {
    let signature = &tool.signature;
    let (context, output) = (&signature.context, &signature.output);
    let place = Span::mixed_site().located_at(tool.function.span());
    let passed = passed(&signature.input);
    let declared = declared(&signature.input);
    let function = &tool.function;
    let function = match tool.owner {
        Some(owner) => quote!(<#owner>::#function),
        None => function.to_token_stream(),
    };
    let state = signature
        .has_receiver
        .then(|| quote_spanned!(place=> state,));
    let run = quote_spanned! {place=>
        __toolwright::run(
            #function(#state <#context as __toolwright::Context>::of(context), #(#passed),*),
            <#output as __toolwright::ToolReturn>::encode,
        )
    };
    let call = match &signature.input {
        Input::Nothing => run,
        Input::One(only) => {
            let decode = decode(only);
            quote_spanned! {place=>
                match #decode(arguments) {
                    ::core::result::Result::Ok(#(#passed)*) => #run,
                    ::core::result::Result::Err(error) => __toolwright::unfit(context, &error),
                }
            }
        }
        Input::Named(arguments) => {
            let names = arguments.iter().map(|argument| &argument.name);
            let decodes = arguments.iter().map(decode);
            quote_spanned! {place=>
                {
                    let mut fields = __toolwright::Fields::new(arguments);
                    match (#(fields.take(#names, #decodes)),*) {
                        (#(::core::option::Option::Some(#passed)),*) => #run,
                        _ => __toolwright::unfit(context, &fields.error()),
                    }
                }
            }
        }
    };
    let bind = match tool.owner {
        Some(owner) if signature.has_receiver => quote_spanned! {place=>
            __toolwright::method::<#owner>(|state, context, arguments| #call)
        },
        _ => quote_spanned!(place=> __toolwright::function(|context, arguments| #call)),
    };
    quote! {
        input: #declared,
        output_schema: __toolwright::Described::<#output>::schema_or(
            <#output as __toolwright::ToolReturn>::schema(),
        ),
        bind: #bind,
    }
}

/// The variables that are passed behind the context.
fn passed(input: &Input) -> Vec<Ident> {
    let count = match input {
        Input::Nothing => 0,
        Input::One(_) => 1,
        Input::Named(arguments) => arguments.len(),
    };
    let variable = |at| format_ident!("parameter_{at}", span = Span::mixed_site());
    (0..count).map(variable).collect()
}

/// The parameters behind the context, for the schema.
fn declared(input: &Input) -> TokenStream {
    match input {
        Input::Nothing => quote!(::core::option::Option::None),
        Input::One(only) => {
            let only = declared_argument(only);
            quote!(::core::option::Option::Some(__toolwright::Input::One(#only)))
        }
        Input::Named(arguments) => {
            let arguments = arguments.iter().map(declared_argument);
            quote! {
                ::core::option::Option::Some(__toolwright::Input::Named(
                    __toolwright::Vec::from([#(#arguments),*]),
                ))
            }
        }
    }
}

fn declared_argument(argument: &Argument) -> TokenStream {
    let Argument {
        name,
        description,
        ty,
    } = argument;
    quote! {
        __toolwright::argument(
            #name,
            #description,
            <#ty as __toolwright::ToolInput<_>>::schema(),
        )
    }
}

fn decode(Argument { ty, .. }: &Argument) -> TokenStream {
    quote!(<#ty as __toolwright::ToolInput<_>>::decode)
}

fn text_or(written: Option<&syn::LitStr>, derived: &str) -> TokenStream {
    written.map_or_else(|| derived.to_token_stream(), ToTokens::to_token_stream)
}

fn option(value: Option<&impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

//! `#[derive(Role)]`: the program's own enum of roles.

use std::collections::BTreeMap;

use heck::ToKebabCase;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, Data, DeriveInput, Fields, Ident, LitStr, Path, Token, Variant, ext::IdentExt,
};
use toolwright_model::Role;

use crate::problems::{Problem, Problems};

/// The implementations, or what is wrong with the enum.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    let roles = problems
        .keep(syn::parse2(item))
        .and_then(|input| check(input, &mut problems));
    match roles {
        Some(roles) if problems.is_empty() => emit(&roles),
        _ => problems.into_token_stream(),
    }
}

/// An enum without a problem.
struct CheckedRoles {
    name: Ident,
    /// The variants and the names of their roles.
    variants: Vec<(Ident, String)>,
    crate_path: Option<Path>,
}

fn check(input: DeriveInput, problems: &mut Problems) -> Option<CheckedRoles> {
    let crate_path = crate_path(&input.attrs, problems);
    let Data::Enum(data) = input.data else {
        problems.add(
            Problem::on(input.ident, "roles are the variants of an enum")
                .note("so that a slip in `roles(…)` is found by the compiler")
                .help("write `enum AgentRole { Quality, Transform }`"),
        );
        return None;
    };
    if !input.generics.params.is_empty() {
        problems.add(
            Problem::on(input.generics, "an enum of roles is not generic")
                .note("each of its variants is one role, known before the program runs")
                .help("leave out the parameters"),
        );
    }
    if data.variants.is_empty() {
        problems.add(
            Problem::on(&input.ident, "the enum has no variant, so there is no role")
                .note("a tool is called by the roles that it names and by no other")
                .help("write one variant a role"),
        );
    }
    let variants = named_variants(data.variants, problems);
    Some(CheckedRoles {
        name: input.ident,
        variants,
        crate_path,
    })
}

fn named_variants(
    variants: impl IntoIterator<Item = Variant>,
    problems: &mut Problems,
) -> Vec<(Ident, String)> {
    let mut names: BTreeMap<String, Ident> = BTreeMap::new();
    let mut named = Vec::new();
    for variant in variants {
        let Some(name) = problems.keep(name_of(&variant)) else {
            continue;
        };
        if let Some(first) = names.get(&name) {
            problems.add(
                Problem::on(
                    &variant.ident,
                    format!(
                        "the variants `{first}` and `{}` are both the role `{name}`",
                        variant.ident
                    ),
                )
                .note("a role is known by its name, in grants and in the audit")
                .help("write `#[role(\"…\")]` with another name above one of them"),
            );
        }
        names.insert(name.clone(), variant.ident.clone());
        named.push((variant.ident, name));
    }
    named
}

/// The name of the variant's role: what `#[role("…")]` says, or the variant's name in kebab case.
fn name_of(variant: &Variant) -> Result<String, Problem> {
    if !matches!(variant.fields, Fields::Unit) {
        return Err(Problem::on(&variant.fields, "a role has no fields")
            .note("a role is what an agent is; what it may reach is for grants and scopes to say")
            .help(format!("write `{}` alone", variant.ident)));
    }
    match written_name(variant)? {
        Some(written) => match Role::new(written.value()) {
            Ok(role) => Ok(role.into()),
            Err(error) => Err(Problem::on(written, error.to_string())
                .note("operators write it in `toolwright.toml`, and the audit repeats it")
                .help("write a name such as `#[role(\"quality\")]`")),
        },
        None => {
            let kebab = variant.ident.unraw().to_string().to_kebab_case();
            Role::new(kebab).map(Into::into).map_err(|error| {
                Problem::on(&variant.ident, error.to_string())
                    .note("without `#[role(\"…\")]` the role has the variant's name in kebab case")
                    .help(
                        "write `#[role(\"quality\")]`, with a name of your own, above the variant",
                    )
            })
        }
    }
}

fn written_name(variant: &Variant) -> Result<Option<LitStr>, Problem> {
    let mut written = None;
    for attribute in role_attributes(&variant.attrs) {
        let name: LitStr = attribute.parse_args().map_err(|_| {
            Problem::on(
                attribute,
                "the attribute of a variant is the name of its role",
            )
            .note("it is a text in quotes, and takes the place of the variant's name in kebab case")
            .help("write `#[role(\"quality\")]`")
        })?;
        if written.replace(name).is_some() {
            return Err(Problem::on(attribute, "the role is named twice")
                .note("a variant is one role")
                .help("keep one of the two attributes"));
        }
    }
    Ok(written)
}

/// `#[role(crate = path)]` above the enum.
fn crate_path(attributes: &[Attribute], problems: &mut Problems) -> Option<Path> {
    let mut written = None;
    for attribute in role_attributes(attributes) {
        let parsed = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            input.call(Path::parse_mod_style)
        });
        written = problems.keep(parsed.map_err(|_| {
            Problem::on(attribute, "the attribute of an enum of roles is the path of `toolwright`")
                .note("each variant is a role of its own, so the enum has no name to give")
                .help("write `#[role(crate = my_crate::toolwright)]`, or put the name of a role above its variant")
        }));
    }
    written
}

fn role_attributes(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("role"))
}

fn emit(roles: &CheckedRoles) -> TokenStream {
    let CheckedRoles {
        name,
        variants,
        crate_path,
    } = roles;
    let toolwright = crate_path
        .as_ref()
        .map_or_else(|| quote!(::toolwright), ToTokens::to_token_stream);
    let (idents, names): (Vec<_>, Vec<_>) = variants.iter().map(|(a, b)| (a, b)).unzip();
    quote! {
        #[automatically_derived]
        impl #toolwright::RoleEnum for #name {
            const ALL: &'static [Self] = &[#(Self::#idents),*];

            fn name(&self) -> &'static ::core::primitive::str {
                match self {
                    #(Self::#idents => #names,)*
                }
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<#name> for #toolwright::Role {
            fn from(role: #name) -> Self {
                #toolwright::RoleEnum::role(&role)
            }
        }
    }
}

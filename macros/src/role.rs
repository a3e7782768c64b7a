//! `#[derive(RoleEnum)]`: the program's own enum of roles.

use std::collections::BTreeMap;

use heck::ToKebabCase;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, Data, DeriveInput, Fields, Ident, LitStr, Path, Token, Variant, ext::IdentExt,
};
use toolwright_model::Role;

use crate::problems::{Problem, Problems};

/// Returns the implementations, or the errors of the enum.
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
            Problem::on(input.ident, "`Role` can only be derived for an enum")
                .note("with an enum, the compiler finds a typo in `roles(…)`")
                .help("write `enum AgentRole { Quality, Transform }`"),
        );
        return None;
    };
    if !input.generics.params.is_empty() {
        problems.add(
            Problem::on(input.generics, "an enum of roles cannot be generic")
                .note("each variant is one role, and the roles are known at compile time")
                .help("remove the parameters"),
        );
    }
    if data.variants.is_empty() {
        problems.add(
            Problem::on(&input.ident, "an enum of roles needs at least one variant")
                .note("only the listed roles can call a tool")
                .help("add one variant for each role"),
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
                        "the variants `{first}` and `{}` have the same role name `{name}`",
                        variant.ident
                    ),
                )
                .note("grants and audit records refer to a role by its name")
                .help("write `#[role(\"…\")]` with a different name above one of them"),
            );
        }
        names.insert(name.clone(), variant.ident.clone());
        named.push((variant.ident, name));
    }
    named
}

/// Returns the name of the variant's role: the one in `#[role("…")]`, or the variant's name in
/// kebab case.
fn name_of(variant: &Variant) -> Result<String, Problem> {
    if !matches!(variant.fields, Fields::Unit) {
        return Err(
            Problem::on(&variant.fields, "a role variant cannot have fields")
                .note("a role describes an agent; grants and scopes define what it can access")
                .help(format!("write `{}` alone", variant.ident)),
        );
    }
    match written_name(variant)? {
        Some(written) => match Role::new(written.value()) {
            Ok(role) => Ok(role.into()),
            Err(error) => Err(Problem::on(written, error.to_string())
                .note("operators write the name in `toolwright.toml`, and audit records contain it")
                .help("use a name such as `#[role(\"quality\")]`")),
        },
        None => {
            let kebab = variant.ident.unraw().to_string().to_kebab_case();
            Role::new(kebab).map(Into::into).map_err(|error| {
                Problem::on(&variant.ident, error.to_string())
                    .note("without `#[role(\"…\")]`, the role name is the variant's name in kebab case")
                    .help(
                        "add `#[role(\"quality\")]` with your own name above the variant",
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
                "expected the name of the role",
            )
            .note("the attribute of a variant is a string that replaces the variant's name in kebab case")
            .help("write `#[role(\"quality\")]`")
        })?;
        if written.replace(name).is_some() {
            return Err(Problem::on(attribute, "duplicate attribute `role`")
                .note("a variant is exactly one role")
                .help("remove one of the two attributes"));
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
            Problem::on(attribute, "expected `crate = PATH`")
                .note("each variant is a separate role, so the enum itself has no role name")
                .help("write `#[role(crate = my_crate::toolwright)]`, or move the name above a variant")
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

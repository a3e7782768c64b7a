//! The crate with the adapters of a workspace: one module and one cargo feature for each service.

use proc_macro2::TokenStream;
use quote::quote;
use toolwright_model::ServiceName;

use super::{
    CrateOptions,
    module::adapter_crate,
    output::{MARK, OutputTree},
    tokens,
};

/// Returns the manifest of the crate, its root module and the settings of rustfmt, without the
/// modules of the services.
#[must_use]
pub fn workspace(services: &[ServiceName], options: &CrateOptions) -> OutputTree {
    let mut tree = OutputTree::new();
    tree.add_initial("Cargo.toml", manifest(services, options));
    tree.add("rustfmt.toml", rustfmt());
    tree.add("src/lib.rs", root(services));
    tree
}

/// Returns settings that disable rustfmt in a generated crate, which has the layout of
/// prettyplease.
pub(super) fn rustfmt() -> String {
    format!("# {MARK}; the generator formats this crate.\ndisable_all_formatting = true\n")
}

fn manifest(services: &[ServiceName], options: &CrateOptions) -> String {
    let names: Vec<_> = services.iter().map(|name| format!("\"{name}\"")).collect();
    let mut features = format!("default = [{}]\n", names.join(", "));
    for name in services {
        features.push_str(name.as_str());
        features.push_str(" = []\n");
    }
    format!(
        r#"# Toolwright wrote this file once; it is yours. `toolwright generate` adds the feature of a new service.

[package]
name = "toolwright-generated"
description = "Adapters generated from the specifications in specs/"
version = "0.1.0"
edition = "2024"
publish = false

# One feature for each service.
[features]
{features}
[dependencies]
toolwright-adapter = {{ {adapter} }}

[lints.rust]
unsafe_code = "forbid"
{workspace}"#,
        adapter = options.source("adapter"),
        workspace = options.workspace(),
    )
}

fn root(services: &[ServiceName]) -> String {
    let docs = tokens::marked_docs(
        &format!("{MARK}; `toolwright generate` refreshes it"),
        "Adapters of the specifications in `specs/`: one module and one cargo feature for each service.",
    );
    let adapter_crate = adapter_crate();
    let features: Vec<&str> = services.iter().map(ServiceName::as_str).collect();
    let modules = services.iter().map(module);
    let modules: Vec<TokenStream> = modules.collect();
    tokens::file(&quote! {
        #docs
        #adapter_crate
        use toolwright::EmbeddedTools;
        #(
            #[cfg(feature = #features)]
            pub mod #modules;
        )*
        /// Returns the tools of every service that is compiled in.
        #[must_use]
        pub fn all() -> Vec<EmbeddedTools> {
            [
                #(
                    #[cfg(feature = #features)]
                    #modules::TOOLS,
                )*
            ].to_vec()
        }
    })
}

/// Returns the name of the module of a service.
fn module(name: &ServiceName) -> TokenStream {
    tokens::code(&super::fields::ident(name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_a_module_and_a_feature() {
        let names = ["box", "plane"].map(|name| ServiceName::new(name).unwrap());
        let tree = workspace(&names, &CrateOptions::default());
        let manifest: toml::Table = tree.file("Cargo.toml").unwrap().parse().unwrap();
        assert_eq!(manifest["features"]["default"].as_array().unwrap().len(), 2);
        let root = tree.file("src/lib.rs").unwrap();
        assert!(syn::parse_file(root).is_ok(), "{root}");
        assert!(root.contains("pub mod r#box;"), "{root}");
    }

    #[test]
    fn a_workspace_without_services_is_a_crate_too() {
        let tree = workspace(&[], &CrateOptions::default());
        assert!(syn::parse_file(tree.file("src/lib.rs").unwrap()).is_ok());
    }
}

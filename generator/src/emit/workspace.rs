//! The crate with the adapters of a workspace: one module and one cargo feature for each service.

use std::fmt::Write as _;

use super::{
    CrateOptions, ServiceFeature,
    module::adapter_crate,
    output::{MARK, OutputTree},
    tokens,
};
use proc_macro2::TokenStream;
use quote::quote;
use toolwright_model::ServiceName;

/// Returns the manifest of the crate, its root module and the settings of rustfmt, without the
/// modules of the services.
#[must_use]
pub fn workspace(services: &[ServiceFeature], options: &CrateOptions) -> OutputTree {
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

fn manifest(services: &[ServiceFeature], options: &CrateOptions) -> String {
    let list = |names: Vec<String>| toml::Value::from(names).to_string();
    let names = services.iter().map(|one| one.service.to_string()).collect();
    let mut features = format!("default = {}\n", list(names));
    for service in services {
        let enabled = list(service.enabled().collect());
        let _ = writeln!(features, "{} = {enabled}", service.service);
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

fn root(services: &[ServiceFeature]) -> String {
    let docs = tokens::marked_docs(
        &format!("{MARK}; `toolwright generate` refreshes it"),
        "Adapters of the specifications in `specs/`: one module and one cargo feature for each service.",
    );
    let adapter_crate = adapter_crate();
    let features: Vec<&str> = services.iter().map(|one| one.service.as_str()).collect();
    let modules = services.iter().map(|one| module(&one.service));
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
        let features =
            [("box", None), ("plane", Some("uuid"))].map(|(name, need)| ServiceFeature {
                service: ServiceName::new(name).unwrap(),
                needs: need.into_iter().collect(),
            });
        let tree = workspace(&features, &CrateOptions::default());
        let manifest: toml::Table = tree.file("Cargo.toml").unwrap().parse().unwrap();
        let expected = toml::toml! {
            default = ["box", "plane"]
            box = []
            plane = ["toolwright-adapter/uuid"]
        };
        assert_eq!(manifest["features"].as_table(), Some(&expected));
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

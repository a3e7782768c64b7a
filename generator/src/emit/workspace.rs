//! The crate that holds the adapters of a workspace: one module and one cargo feature a service.

use toolwright_model::ServiceName;

use super::module::CRATE;
use crate::output::{MARK, OutputTree};

/// The manifest of the crate and its root module. The services' own modules are not part of it.
#[must_use]
pub fn workspace(services: &[ServiceName]) -> OutputTree {
    let mut tree = OutputTree::new();
    tree.add("Cargo.toml", manifest(services));
    tree.add("src/lib.rs", root(services));
    tree
}

fn manifest(services: &[ServiceName]) -> String {
    let names: Vec<_> = services.iter().map(|name| format!("\"{name}\"")).collect();
    let mut features = format!("default = [{}]\n", names.join(", "));
    for name in services {
        features.push_str(name.as_str());
        features.push_str(" = []\n");
    }
    format!(
        r#"# {MARK}; `toolwright generate` refreshes it.

[package]
name = "toolwright-generated"
description = "Adapters generated from the specifications in specs/"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
publish.workspace = true

[lints]
workspace = true

# One feature a service.
[features]
{features}
[dependencies]
toolwright-adapter.workspace = true
"#
    )
}

fn root(services: &[ServiceName]) -> String {
    let mut text = format!(
        "// {MARK}; `toolwright generate` refreshes it.\n\
         //! Adapters of the specifications in `specs/`: one module and one cargo feature a service.\n\n\
         {CRATE}\n\n\
         use toolwright::EmbeddedTools;\n\n"
    );
    for name in services {
        let module = module(name);
        text.push_str(&format!(
            "#[cfg(feature = \"{name}\")]\n#[rustfmt::skip]\npub mod {module};\n"
        ));
    }
    text.push_str(
        "\n/// The tools of every service that is compiled in.\n\
         #[must_use]\n\
         pub fn all() -> Vec<EmbeddedTools> {\n    \
             [\n",
    );
    for name in services {
        let module = module(name);
        text.push_str(&format!(
            "        #[cfg(feature = \"{name}\")]\n        {module}::TOOLS,\n"
        ));
    }
    text.push_str("    ]\n    .to_vec()\n}\n");
    text
}

/// The name of a service as that of a module.
fn module(name: &ServiceName) -> String {
    super::fields::ident(name.as_str()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_a_module_and_a_feature() {
        let names = ["box", "plane"].map(|name| ServiceName::new(name).unwrap());
        let tree = workspace(&names);
        let manifest: toml::Table = tree.file("Cargo.toml").unwrap().parse().unwrap();
        assert_eq!(manifest["features"]["default"].as_array().unwrap().len(), 2);
        let root = tree.file("src/lib.rs").unwrap();
        assert!(syn::parse_file(root).is_ok(), "{root}");
        assert!(root.contains("pub mod r#box;"), "{root}");
    }

    #[test]
    fn a_workspace_without_services_is_a_crate_too() {
        let tree = workspace(&[]);
        assert!(syn::parse_file(tree.file("src/lib.rs").unwrap()).is_ok());
    }
}

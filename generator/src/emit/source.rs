//! The text of a Rust file, from its tokens.

use proc_macro2::TokenStream;

use crate::{check::CheckedService, output::MARK};

/// The first line of every file of a service.
pub(super) fn mark(service: &CheckedService) -> String {
    let document = &service.service().document;
    format!("{MARK} from `{document}`; `toolwright generate` refreshes it")
}

/// A formatted file: the mark, the inner documentation, the items.
pub(super) fn file(mark: &str, docs: &str, items: TokenStream) -> String {
    let mut text = format!("// {mark}.\n");
    for line in docs.lines() {
        text.push_str(if line.is_empty() { "//!" } else { "//! " });
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    match syn::parse2::<syn::File>(items.clone()) {
        Ok(file) => text.push_str(&paragraphs(file.items)),
        // What is emitted parses, as the tests show; if it ever did not, rustc shows the place.
        Err(_) => text.push_str(&items.to_string()),
    }
    text
}

/// The items as a person would set them: uses together, a blank line before every other item.
fn paragraphs(items: Vec<syn::Item>) -> String {
    let mut text = String::new();
    let mut after_use = true;
    for item in items {
        let is_use = matches!(item, syn::Item::Use(_) | syn::Item::Mod(_));
        let follows_use = is_use && after_use;
        if !text.is_empty() && !follows_use {
            text.push('\n');
        }
        after_use = is_use;
        text.push_str(&prettyplease::unparse(&syn::File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: vec![item],
        }));
    }
    text
}

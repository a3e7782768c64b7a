//! The tool's name: `<verb>-<service>-<noun>`.

use heck::ToKebabCase;
use proc_macro2::Span;
use syn::LitStr;
use toolwright_model::{NameError, ServiceName, ToolName};

use crate::problems::Problem;

/// A name that follows the grammar, in its parts.
pub(super) struct CheckedName {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) verb: String,
    pub(super) service: String,
    /// `List tasks` of `list-plane-tasks`.
    pub(super) title: String,
}

/// Checks the grammar, the length and the number of words.
pub(super) fn check(name: &LitStr) -> Result<CheckedName, Problem> {
    let text = name.value();
    if let Err(error) = ToolName::new(text.as_str()) {
        return Err(refuse(name, &error));
    }
    parts(&text, name.span()).ok_or_else(|| {
        Problem::on(
            name,
            format!("the tool name `{text}` has fewer than three words"),
        )
        .note("a tool name has the form `<verb>-<service>-<noun>`, such as `list-plane-tasks`")
        .help("write a verb for the action, the service or area, and the kind of object")
    })
}

fn refuse(name: &LitStr, error: &NameError) -> Problem {
    let problem = Problem::on(name, error.to_string());
    match error {
        NameError::Grammar { text, .. } => {
            let problem = problem.note(
                "agents call the tool by this name, and many clients reject other characters",
            );
            let kebab = text.to_kebab_case();
            match ToolName::new(kebab.as_str()) {
                Ok(kebab) if kebab.as_str() != text => {
                    problem.help(format!("write `name = \"{kebab}\"`"))
                }
                _ => problem.help("use a name such as `name = \"list-plane-tasks\"`"),
            }
        }
        NameError::TooLong { .. } => problem
            .note("model providers allow 64 characters, and clients add a prefix to the name")
            .help("remove words that repeat the verb or the service"),
    }
}

fn parts(text: &str, span: Span) -> Option<CheckedName> {
    let (verb, rest) = text.split_once('-')?;
    let (service, noun) = rest.split_once('-')?;
    ServiceName::new(service).ok()?;
    let title = format!("{verb} {}", noun.replace('-', " "));
    let mut characters = title.chars();
    let first = characters.next()?.to_ascii_uppercase();
    Some(CheckedName {
        name: text.to_owned(),
        span,
        verb: verb.to_owned(),
        service: service.to_owned(),
        title: std::iter::once(first).chain(characters).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<CheckedName> {
        super::parts(text, Span::call_site())
    }

    #[test]
    fn a_name_has_a_verb_a_service_and_a_noun() {
        let name = parts("list-plane-task-comments").unwrap();
        assert_eq!(name.verb, "list");
        assert_eq!(name.service, "plane");
        assert_eq!(name.title, "List task comments");
        for bad in ["list", "list-tasks", "list-3d-models"] {
            assert!(parts(bad).is_none(), "{bad}");
        }
    }
}

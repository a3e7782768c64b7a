//! Names of tools: `<verb>-<service>-<noun>`, from one operation alone.
//!
//! A name depends on nothing but its own operation, so a document that gains operations never
//! renames a tool. What tells operations apart has to be in the name: the whole path of the
//! resource is.

mod action;
mod call;
mod noun;
mod parameter;
mod path;
mod said;
mod segment;
mod verbs;

use std::fmt;

use toolwright_model::{MAX_TOOL_NAME, NameError, ServiceName, ToolName, most_similar};

use crate::{english::words, facts::OperationFacts, governance};
use action::{Action, action};
use noun::Group;
use path::{Part, ResourcePath};

pub use verbs::VERBS;

/// What the overlay decides of a name; the rest is derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameHints<'a> {
    /// The verb: one of [`VERBS`].
    pub verb: Option<&'a str>,
    /// The noun: one or more words in kebab case, such as `work-item-comments`.
    pub noun: Option<&'a str>,
}

/// A name, its parts, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The verb.
    pub verb: String,
    /// The noun, in kebab case, as it stands in the name.
    pub noun: String,
    /// The name, or why there is none.
    pub name: Result<ToolName, NamingError>,
    /// How the name came about, one step a line, for `explain`.
    pub derivation: Vec<String>,
}

/// Why an operation has no name. Each is mended by an overlay line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamingError {
    /// The name would be longer than [`MAX_TOOL_NAME`] characters, and no rule shortens it.
    TooLong {
        /// The name that would be.
        name: String,
    },
    /// The path and the operation id have no word to make a noun of.
    NoNoun,
    /// The overlay's verb is not one of [`VERBS`].
    UnknownVerb {
        /// The verb of the overlay.
        verb: String,
        /// A verb of the list that is spelt alike.
        similar: Option<&'static str>,
    },
    /// The overlay's noun is not kebab case.
    NounGrammar {
        /// The noun of the overlay.
        noun: String,
    },
}

impl fmt::Display for NamingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { name } => write!(
                f,
                "the name `{name}` has {} characters, {MAX_TOOL_NAME} are allowed",
                name.len()
            ),
            Self::NoNoun => f.write_str("neither the path nor the operation id gives a noun"),
            Self::UnknownVerb { verb, .. } => write!(f, "`{verb}` is not a verb of tool names"),
            Self::NounGrammar { noun } => write!(
                f,
                "`{noun}` is not a noun: lower-case words of letters and digits, joined by single hyphens"
            ),
        }
    }
}

impl std::error::Error for NamingError {}

/// Names the operation.
#[must_use]
pub fn name_of(service: &ServiceName, facts: &OperationFacts, hints: NameHints<'_>) -> Naming {
    let path = ResourcePath::read(service, &facts.path);
    let mut derivation = path.dropped.clone();
    let version = path.version.clone();
    let kind = governance::classify(facts).kind;
    let Action {
        verb,
        parts,
        number,
        because,
    } = action(facts, path, kind);
    let verb = hints.verb.unwrap_or(verb);
    derivation.push(match hints.verb {
        Some(verb) => format!("the verb is `{verb}`: the overlay says so"),
        None => format!("the verb is `{verb}`: {because}"),
    });
    let mut groups = noun::groups(&parts, number);
    if groups.is_empty() {
        groups = from_operation_id(service, facts);
        derivation.push("the noun is that of the operation id: the path has none".to_owned());
    }
    let room = MAX_TOOL_NAME.saturating_sub(verb.len() + service.as_str().len() + "--".len());
    let (kept, shortened) = noun::shorten(&groups, &version, room);
    let noun = hints.noun.map_or(kept, ToOwned::to_owned);
    derivation.push(match hints.noun {
        Some(noun) => format!("the noun is `{noun}`: the overlay says so"),
        None if shortened => format!(
            "the noun is `{noun}`: of `{}` the furthest parents are left out, to keep to {MAX_TOOL_NAME} characters",
            noun::kebab(&groups)
        ),
        None => format!("the noun is `{noun}`: the resource of the path"),
    });
    let name = check(service, verb, &noun, hints);
    Naming {
        verb: verb.to_owned(),
        noun,
        name,
        derivation,
    }
}

/// Puts the name together, if it follows the rules.
fn check(
    service: &ServiceName,
    verb: &str,
    noun: &str,
    hints: NameHints<'_>,
) -> Result<ToolName, NamingError> {
    if !VERBS.contains(&verb) {
        return Err(NamingError::UnknownVerb {
            verb: verb.to_owned(),
            similar: most_similar(verb, VERBS.iter().copied()),
        });
    }
    if noun.is_empty() && hints.noun.is_none() {
        return Err(NamingError::NoNoun);
    }
    ToolName::new(format!("{verb}-{service}-{noun}")).map_err(|error| match error {
        NameError::TooLong { text } => NamingError::TooLong { name: text },
        NameError::Grammar { .. } => NamingError::NounGrammar {
            noun: noun.to_owned(),
        },
    })
}

/// The noun of the operation id, without its verb and the service's own word.
fn from_operation_id(service: &ServiceName, facts: &OperationFacts) -> Vec<Group> {
    let parts: Vec<Part> = facts
        .operation_id
        .as_deref()
        .unwrap_or_default()
        .split(['.', '/', '_'])
        .map(|part| Part {
            words: words(part)
                .into_iter()
                .filter(|word| word != service.as_str() && verbs::tool_verb(word).is_none())
                .collect(),
            ..Part::default()
        })
        .filter(|part| !part.words.is_empty())
        .collect();
    let groups = noun::groups(&parts, noun::Number::AsWritten);
    if groups.is_empty() {
        let word = if facts.path == "/" { "root" } else { "service" };
        return vec![Group {
            words: vec![word.to_owned()],
            ..Group::default()
        }];
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolwright_model::Method;

    fn naming(line: &str, hints: NameHints<'_>) -> Naming {
        let mut cells = line.split(' ');
        let (method, path) = (cells.next().unwrap(), cells.next().unwrap());
        let mut facts = OperationFacts::new(Method::from_word(method).unwrap(), path);
        facts.operation_id = cells.next().map(str::to_owned);
        name_of(&ServiceName::new("svc").unwrap(), &facts, hints)
    }

    fn name(line: &str) -> String {
        let naming = naming(line, NameHints::default());
        naming
            .name
            .map_or_else(|error| error.to_string(), |name| name.to_string())
    }

    #[test]
    fn resources() {
        for (line, expected) in [
            ("GET /api/v1/items", "list-svc-items"),
            ("GET /items/{id}", "get-svc-item"),
            ("POST /items", "create-svc-item"),
            ("PUT /items/{id}", "replace-svc-item"),
            ("PATCH /items/{id}", "update-svc-item"),
            ("DELETE /items/{id}", "delete-svc-item"),
            ("HEAD /items/{id}", "check-svc-item"),
            (
                "GET /projects/{id}/work-items/{id}/comments",
                "list-svc-project-work-item-comments",
            ),
            ("GET /status/leader", "get-svc-status-leader"),
            ("GET /settings", "get-svc-settings"),
            (
                "GET /projects/{id}/project-members",
                "list-svc-project-project-members",
            ),
            ("GET /users/me/keys", "list-svc-current-user-keys"),
            ("GET /svc/items", "list-svc-items"),
            ("GET /apis/batch/v2/jobs/{name}", "get-svc-batch-job-v2"),
            (
                "GET /repos/{owner}/{repo}/issues/{index}",
                "get-svc-repo-issue",
            ),
            ("GET /items/{project}-{number}", "get-svc-item-by-number"),
            ("GET /files/{id}/content.json", "get-svc-file-content"),
        ] {
            assert_eq!(name(line), expected, "{line}");
        }
    }

    #[test]
    fn calls() {
        for (line, expected) in [
            ("POST /documents.info documentsInfo", "get-svc-document"),
            ("POST /documents.list documentsList", "list-svc-documents"),
            (
                "POST /documents.search documentsSearch",
                "search-svc-documents",
            ),
            ("POST /users.update usersUpdate", "update-svc-user"),
            (
                "POST /collections.add_user collectionsAddUser",
                "add-svc-collection-user",
            ),
            (
                "POST /job/{jobName}/dispatch PostJobDispatch",
                "dispatch-svc-job",
            ),
            ("POST /projects/{id}/archive", "archive-svc-project"),
            ("POST /jobs/parse", "parse-svc-jobs"),
            ("POST /orders/batch-retrieve", "get-svc-orders"),
            ("POST /v1/{name}:cancel items.cancel", "cancel-svc-items"),
            ("POST /keys/rotate/{name}", "rotate-svc-keys"),
            ("GET /items/search", "search-svc-items"),
            ("GET /items/{id}/export", "get-svc-item-export"),
            (
                "GET /#Action=DescribeAlarms GET_DescribeAlarms",
                "describe-svc-alarms",
            ),
        ] {
            assert_eq!(name(line), expected, "{line}");
        }
    }

    #[test]
    fn a_name_that_is_too_long_loses_its_furthest_parents() {
        assert_eq!(
            name("GET /workspaces/{id}/sections/projects/{id}/work-items/{id}/attachments/{id}"),
            "get-svc-workspace-project-work-item-attachment"
        );
        let long = "x".repeat(MAX_TOOL_NAME);
        let naming = naming(&format!("GET /{long}"), NameHints::default());
        assert!(matches!(naming.name, Err(NamingError::TooLong { .. })));
    }

    #[test]
    fn the_overlay_decides_the_verb_the_noun_or_both() {
        let hints = NameHints {
            verb: Some("find"),
            noun: Some("tasks"),
        };
        let found = naming("GET /items", hints);
        assert_eq!(found.name.unwrap().as_str(), "find-svc-tasks");

        let unknown = NameHints {
            verb: Some("serch"),
            noun: None,
        };
        let similar = match naming("GET /items", unknown).name {
            Err(NamingError::UnknownVerb { similar, .. }) => similar,
            other => panic!("{other:?}"),
        };
        assert_eq!(similar, Some("search"));

        let grammar = NameHints {
            verb: None,
            noun: Some("Two words"),
        };
        let refused = naming("GET /items", grammar).name;
        assert!(matches!(refused, Err(NamingError::NounGrammar { .. })));
    }

    #[test]
    fn the_derivation_names_what_was_left_out() {
        let steps = naming("GET /api/v2/items/{id}", NameHints::default()).derivation;
        assert_eq!(
            steps,
            [
                "`api` is left out: it is an API prefix",
                "`v2` is left out: it is a version",
                "the verb is `get`: by the method GET",
                "the noun is `item`: the resource of the path",
            ]
        );
    }

    #[test]
    fn the_verbs_are_in_order_and_each_is_one_word() {
        assert!(VERBS.is_sorted());
        assert!(
            VERBS
                .iter()
                .all(|verb| verb.bytes().all(|b| b.is_ascii_lowercase()))
        );
    }
}

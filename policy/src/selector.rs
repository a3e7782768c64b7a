//! Selectors: which tools a grant or an override speaks of.

use std::fmt;

use toolwright_model::{Category, Effect, ServiceName, ToolSpec, matches_glob, most_similar};

/// A conjunction of terms, separated by spaces: a tool is selected when every term fits it.
///
/// | term | fits |
/// |---|---|
/// | `list-depot-items` | the tool of this name |
/// | `list-*`, `*` | the tools whose name fits, `*` standing for any characters |
/// | `service:depot` | the tools of the service |
/// | `category:observe` | the tools of the category |
/// | `effect:read` | the tools with the effect |
/// | `section:work-items` | the tools of the section; its title in lower-case words joined by hyphens |
/// | `method:validate` | the tools that call the method of a domain service; `*` as in names |
///
/// ```
/// use toolwright_policy::Selector;
///
/// assert!("service:plane category:observe".parse::<Selector>().is_ok());
/// let error = "category:observ".parse::<Selector>().unwrap_err();
/// assert_eq!(error.to_string(), "`observ` is not a category; a similar one is `observe`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    text: String,
    terms: Vec<Term>,
}

/// The reason why a string is not a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorError(String);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Name(String),
    Service(ServiceName),
    Category(Category),
    Effect(Effect),
    Section(String),
    Method(String),
}

impl Selector {
    /// Checks whether the selector selects the tool.
    #[must_use]
    pub fn selects(&self, spec: &ToolSpec) -> bool {
        self.terms.iter().all(|term| term.fits(spec))
    }

    /// Checks whether the selector is the name of one tool, so that no other tool can match it.
    #[must_use]
    pub fn names_one_tool(&self) -> bool {
        let is_name = |term: &Term| matches!(term, Term::Name(name) if !name.contains('*'));
        self.terms.iter().any(is_name)
    }

    /// Returns the service that every selected tool belongs to, if a term names one.
    pub(crate) fn service(&self) -> Option<&ServiceName> {
        self.terms.iter().find_map(|term| match term {
            Term::Service(service) => Some(service),
            _ => None,
        })
    }

    /// Returns the selector as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the reason why the selector selects none of the tools, with the most similar name.
    #[must_use]
    pub fn why_nothing<'a>(&self, specs: impl Iterator<Item = &'a ToolSpec> + Clone) -> String {
        let alone = |term: &Term| !specs.clone().any(|spec| term.fits(spec));
        let Some(term) = self.terms.iter().find(|term| alone(term)) else {
            return "each of its terms selects tools, but no tool matches all of them".to_owned();
        };
        let similar = match term {
            Term::Name(name) => most_similar(name, specs.map(|spec| spec.name.as_str())),
            Term::Service(name) => {
                most_similar(name.as_str(), specs.map(|spec| spec.service.as_str()))
            }
            Term::Section(_) | Term::Category(_) | Term::Effect(_) | Term::Method(_) => None,
        };
        match similar {
            Some(similar) => format!("nothing matches `{term}`; a similar name is `{similar}`"),
            None => format!("nothing matches `{term}`"),
        }
    }
}

impl std::str::FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let terms: Vec<_> = text
            .split_whitespace()
            .map(parse_term)
            .collect::<Result<_, _>>()?;
        if terms.is_empty() {
            let message = "a selector has at least one term; `*` selects every tool";
            return Err(SelectorError(message.to_owned()));
        }
        Ok(Self {
            text: text.to_owned(),
            terms,
        })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SelectorError {}

impl Term {
    fn fits(&self, spec: &ToolSpec) -> bool {
        match self {
            Self::Name(pattern) => matches_glob(pattern, spec.name.as_str()),
            Self::Service(service) => spec.service == *service,
            Self::Category(category) => spec.category == *category,
            Self::Effect(effect) => spec.effect == *effect,
            Self::Section(section) => slug(&spec.section) == *section,
            Self::Method(pattern) => {
                (spec.eab()).is_some_and(|eab| matches_glob(pattern, &eab.method))
            }
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Service(service) => write!(f, "service:{service}"),
            Self::Category(category) => write!(f, "category:{category}"),
            Self::Effect(effect) => write!(f, "effect:{effect}"),
            Self::Section(section) => write!(f, "section:{section}"),
            Self::Method(method) => write!(f, "method:{method}"),
        }
    }
}

fn parse_term(text: &str) -> Result<Term, SelectorError> {
    match text.split_once(':') {
        None => parse_name(text),
        Some(("service", name)) => ServiceName::new(name)
            .map(Term::Service)
            .map_err(|error| SelectorError(error.to_string())),
        Some(("category", word)) => {
            Category::from_word(word)
                .map(Term::Category)
                .ok_or_else(|| {
                    unknown(
                        "category",
                        word,
                        Category::ALL.iter().map(|known| known.word()),
                    )
                })
        }
        Some(("effect", word)) => Effect::from_word(word)
            .map(Term::Effect)
            .ok_or_else(|| unknown("effect", word, Effect::ALL.iter().map(|known| known.word()))),
        Some(("section", title)) if slug(title).is_empty() => {
            Err(SelectorError(format!("`{text}` contains no section")))
        }
        Some(("section", title)) => Ok(Term::Section(slug(title))),
        Some(("method", method)) => parse_method(method),
        Some((key, _)) => Err(unknown(
            "kind of term",
            key,
            ["service", "category", "effect", "section", "method"].into_iter(),
        )),
    }
}

fn parse_name(text: &str) -> Result<Term, SelectorError> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '*';
    if text.chars().all(allowed) {
        Ok(Term::Name(text.to_owned()))
    } else {
        let message = "neither a tool name nor a pattern: lower-case letters, digits, `-` and `*`";
        Err(SelectorError(format!("`{text}` is {message}")))
    }
}

fn parse_method(text: &str) -> Result<Term, SelectorError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '*');
    if !text.is_empty() && text.chars().all(allowed) {
        return Ok(Term::Method(text.to_owned()));
    }
    let message = "neither a method nor a pattern: letters, digits, `_`, `-`, `.` and `*`";
    Err(SelectorError(format!("`{text}` is {message}")))
}

fn unknown<'a>(
    kind: &str,
    word: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> SelectorError {
    SelectorError(match most_similar(word, known.clone()) {
        Some(similar) => format!("`{word}` is not a {kind}; a similar one is `{similar}`"),
        None => {
            let known: Vec<_> = known.map(|known| format!("`{known}`")).collect();
            format!("`{word}` is not a {kind}; there are {}", known.join(", "))
        }
    })
}

/// Returns a title as lower-case words joined by hyphens.
fn slug(title: &str) -> String {
    let words: Vec<_> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_selector_is_refused_with_help() {
        for (text, message) in [
            (
                "",
                "a selector has at least one term; `*` selects every tool",
            ),
            (
                "servce:x",
                "`servce` is not a kind of term; a similar one is `service`",
            ),
            (
                "category:x",
                "`x` is not a category; there are `observe`, `report`, `execute`, `approve`",
            ),
            ("section:&", "`section:&` contains no section"),
            (
                "List-Items",
                "`List-Items` is neither a tool name nor a pattern: lower-case letters, digits, `-` and `*`",
            ),
        ] {
            assert_eq!(text.parse::<Selector>().unwrap_err().to_string(), message);
        }
    }

    fn spec(name: &str, service: &str, category: &str, effect: &str, section: &str) -> ToolSpec {
        serde_json::from_value(serde_json::json!({
            "name": name, "service": service, "title": "t", "short": "t", "description": "t",
            "section": section, "category": category, "effect": effect,
            "approval_required": false, "enabled_by_default": true,
            "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                      "openWorldHint": false},
            "input_schema": {"type": "object"}, "binding": "native",
            "origin": {"document": "t", "pointer": "/"}, "evidence": [],
        }))
        .unwrap()
    }

    #[test]
    fn every_term_must_fit() {
        let item = spec("get-shop-item", "shop", "observe", "read", "Shop items");
        for (selector, selects) in [
            ("get-shop-item", true),
            ("get-shop-items", false),
            ("get-*", true),
            ("list-*", false),
            ("service:shop", true),
            ("service:bank", false),
            ("category:observe", true),
            ("category:execute", false),
            ("effect:read", true),
            ("effect:delete", false),
            ("section:shop-items", true),
            ("section:items", false),
            ("method:*", false),
            ("service:shop effect:read get-*", true),
            ("service:shop effect:delete", false),
        ] {
            let selector: Selector = selector.parse().unwrap();
            assert_eq!(selector.selects(&item), selects, "{selector}");
        }
    }

    #[test]
    fn a_selector_knows_its_one_tool_and_its_service() {
        for (text, one, service) in [
            ("get-shop-item", true, None),
            ("get-shop-item service:shop", true, Some("shop")),
            ("get-*", false, None),
            ("service:shop", false, Some("shop")),
            ("category:observe service:shop", false, Some("shop")),
        ] {
            let selector: Selector = text.parse().unwrap();
            assert_eq!(selector.names_one_tool(), one, "{text}");
            assert_eq!(
                selector.service().map(ServiceName::as_str),
                service,
                "{text}"
            );
            assert_eq!(selector.to_string(), text);
        }
    }

    #[test]
    fn a_selector_without_tools_says_which_term_matches_nothing() {
        let specs = [
            spec("get-shop-item", "shop", "observe", "read", "Items"),
            spec(
                "delete-bank-account",
                "bank",
                "execute",
                "delete",
                "Accounts",
            ),
        ];
        for (text, message) in [
            (
                "get-shop-itme",
                "nothing matches `get-shop-itme`; a similar name is `get-shop-item`",
            ),
            (
                "service:shp",
                "nothing matches `service:shp`; a similar name is `shop`",
            ),
            (
                "effect:read section:banks",
                "nothing matches `section:banks`",
            ),
            ("category:report", "nothing matches `category:report`"),
            ("effect:create", "nothing matches `effect:create`"),
            ("method:validate", "nothing matches `method:validate`"),
            (
                "service:shop effect:delete",
                "each of its terms selects tools, but no tool matches all of them",
            ),
        ] {
            let selector: Selector = text.parse().unwrap();
            assert_eq!(selector.why_nothing(specs.iter()), message);
        }
    }

    #[test]
    fn a_method_has_its_characters() {
        for (text, is_selector) in [
            ("method:validate", true),
            ("method:a.B_c-*", true),
            ("method:", false),
            ("method:a/b", false),
        ] {
            assert_eq!(text.parse::<Selector>().is_ok(), is_selector, "{text}");
        }
    }

    #[test]
    fn a_section_is_compared_by_its_words() {
        assert_eq!(slug("Work items & Cycles"), "work-items-cycles");
    }
}

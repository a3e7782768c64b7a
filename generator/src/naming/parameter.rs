//! Path parameters: what they choose, and by what.

use crate::english::{WordList, is_plural, singular, words};

/// The word for one of anything, so that a parameter of this name chooses what stands before it.
const ANYTHING: &str = "item";

/// Words of a parameter's name that say how it chooses, not what.
static CHOOSERS: WordList = WordList::new(
    "alias arn code gid guid id identifier ids index key login mount name names no num number pk \
     ref sid slug uid urn uuid",
);

/// What things have in common with others, so that it does not choose one as a matter of course.
static TRAITS: WordList = WordList::new("email kind property type");

/// Last words of a parameter that is an identifier, so that its name does not matter.
static IDS: WordList = WordList::new("arn gid guid id identifier ids key pk sid uid urn uuid");

/// By what several parameters of one segment choose: by the last word that all of them end in.
pub(crate) fn by_several(names: &[&str]) -> Option<Vec<String>> {
    let [first, .., last] = names else {
        return None;
    };
    let end = |name: &str| words(name).pop();
    Some(if end(first) == end(last) {
        end(last).into_iter().collect()
    } else {
        words(last)
    })
}

/// By what a parameter chooses one of many, where its name is not theirs.
pub(crate) fn by(many: &[String], own: &[String], name: &str) -> Vec<String> {
    let one = many.last().is_none_or(|last| !is_plural(last));
    if one && name == "path" {
        return vec![name.to_owned()];
    }
    if !bears_name(many, name) {
        return if is_id(name) {
            Vec::new()
        } else {
            own.to_vec()
        };
    }
    // `contacts/{contactNumber}` beside `contacts/{contactId}`
    let last = words(name).pop();
    if !own.is_empty() && last.is_some_and(|last| last == "number") {
        vec!["number".to_owned()]
    } else if let [thing, by] = own
        && TRAITS.has(by)
        && many
            .last()
            .is_some_and(|last| singular(last) == singular(thing))
    {
        // `events/{eventType}`
        vec![by.clone()]
    } else {
        Vec::new()
    }
}

/// Whether a parameter is an identifier, so that its name says nothing of how it chooses.
pub(crate) fn is_id(name: &str) -> bool {
    words(name).last().is_some_and(|last| IDS.has(last))
}

/// Whether a parameter's name is that of what it chooses from, with or without what says how.
pub(crate) fn bears_name(many: &[String], name: &str) -> bool {
    let whole = words(name);
    let own = own_words(name);
    let begins = own.first().map(|first| singular(first)) == many.last().map(|last| singular(last));
    begins
        || (own.len()..=whole.len())
            .any(|end| whole.get(..end).is_some_and(|part| is_like(many, part)))
}

/// Whether a parameter's own words are those of what it chooses from, or none: `user` or `username`
/// of `users`, `cert` of `certificates`.
pub(crate) fn is_like(many: &[String], own: &[String]) -> bool {
    let (Some(many), Some(own)) = (many.last(), own.last()) else {
        return own.is_empty();
    };
    let (many, own) = (singular(many), singular(own));
    let part = own.len() >= TELLING && many.contains(&own);
    part || own.starts_with(&many) || many.len() >= TELLING && own.contains(&many)
}

/// Shorter words are part of others by chance: `ip` of `geoip`.
const TELLING: usize = 3;

/// The words of a parameter's name that say what it chooses: `client` of `clientId`.
pub(crate) fn own_words(name: &str) -> Vec<String> {
    let mut own = words(name);
    while own
        .last()
        .is_some_and(|word| CHOOSERS.has(word) || word == "path" || word == "or")
    {
        own.pop();
    }
    if matches!(own.as_slice(), [only] if only == ANYTHING) && is_id(name) {
        own.clear();
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(many: &str, name: &str) -> String {
        by(&words(many), &own_words(name), name).join(" ")
    }

    #[test]
    fn a_parameter_that_bears_the_name_says_nothing() {
        for (many, name) in [
            ("users", "id"),
            ("users", "userId"),
            ("users", "username"),
            ("certificates", "cert_name"),
            ("job", "jobName"),
            ("connections", "vnet_id"),
        ] {
            assert_eq!(chosen(many, name), "", "{many}/{{{name}}}");
        }
    }

    #[test]
    fn another_says_by_what_one_is_chosen() {
        assert_eq!(chosen("attachments", "FileName"), "file");
        assert_eq!(chosen("users", "email"), "email");
        assert_eq!(chosen("contacts", "ContactNumber"), "number");
        assert_eq!(chosen("proxy", "path"), "path");
    }

    #[test]
    fn several_in_one_segment_choose_by_what_they_share() {
        let shared = by_several(&["project_identifier", "issue_identifier"]);
        assert_eq!(shared, Some(vec!["identifier".to_owned()]));
        assert_eq!(by_several(&["id"]), None);
    }
}

//! Path parameters: the items that they select, and the key.

use crate::language::{WordList, is_plural, singular, words};

/// The word for any item: a parameter of this name selects an item of the part before it.
const ANYTHING: &str = "item";

/// Words of a parameter's name that describe the selection, not the item.
static CHOOSERS: WordList = WordList::new(
    "alias arn code gid guid id identifier ids index key login mount name names no num number pk \
     ref sid slug uid urn uuid",
);

/// Properties that several items share, so they are not the usual key.
static TRAITS: WordList = WordList::new("email kind property type");

/// Last words of identifiers, whose names do not matter.
static IDS: WordList = WordList::new("arn gid guid id identifier ids key pk sid uid urn uuid");

/// Returns the key of several parameters in one segment: the last word that all of them end in.
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

/// Returns the key with which a parameter selects an item, if its name is not that of the items.
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
    // `contacts/{contactNumber}` next to `contacts/{contactId}`
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

/// Checks whether a parameter is an identifier, whose name does not matter.
pub(crate) fn is_id(name: &str) -> bool {
    words(name).last().is_some_and(|last| IDS.has(last))
}

/// Checks whether a parameter's name is that of its collection, with or without the key.
pub(crate) fn bears_name(many: &[String], name: &str) -> bool {
    let whole = words(name);
    let own = own_words(name);
    let begins = own.first().map(|first| singular(first)) == many.last().map(|last| singular(last));
    begins
        || (own.len()..=whole.len())
            .any(|end| whole.get(..end).is_some_and(|part| is_like(many, part)))
}

/// Checks whether a parameter's own words are those of its collection, or none: `user` or
/// `username` of `users`, `cert` of `certificates`.
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

/// Returns the words of a parameter's name for the selected item: `client` of `clientId`.
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

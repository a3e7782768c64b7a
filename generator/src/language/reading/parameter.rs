//! Path parameters: the items that they select, and the key.

use crate::language::{
    singular,
    vocabulary::{Tag, is},
    words,
};

/// Returns the words of the key with which parameters select an item, if the name of the last one is
/// not that of the items: `email` of `users/{email}`.
pub(crate) fn by(many: &[String], names: &[String]) -> Vec<String> {
    let Some(name) = names.last() else {
        return Vec::new();
    };
    let mut own = own_words(name);
    let same = own.iter().rev().zip(many.iter().rev());
    let same = same.filter(|(own, many)| singular(own) == singular(many));
    if !own.is_empty() && same.count() == own.len() {
        return Vec::new();
    }
    // `events/{eventType}`, `images/{imageIndex}`
    let shared = own
        .last()
        .filter(|last| own.len() > 1 && is(last, Tag::Trait));
    if let Some(shared) = shared.cloned() {
        own = vec![shared];
    } else if is_id(name) || bears_name(many, name) {
        own.clear();
    }
    own.retain(|word| !many.iter().any(|many| singular(many) == singular(word)));
    own
}

/// Checks whether a parameter is an identifier, whose name does not matter.
pub(crate) fn is_id(name: &str) -> bool {
    words(name)
        .last()
        .is_some_and(|last| is(last, Tag::Identifier))
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
    if is_initials(many, own) || is_short_id(many, own) {
        return true;
    }
    let (Some(many), Some(own)) = (many.last(), own.last()) else {
        return own.is_empty();
    };
    let (many, own) = (singular(many), singular(own));
    let part = own.len() >= TELLING && many.contains(&own);
    part || own.starts_with(&many) || many.len() >= TELLING && own.contains(&many)
}

/// Checks whether a word is the initials of others: `vm` of `virtual-machines`.
fn is_initials(words: &[String], own: &[String]) -> bool {
    let initials = words.iter().filter_map(|word| word.chars().next());
    matches!(own, [only] if words.len() > 1 && only.chars().eq(initials))
}

/// Checks whether a word is the initial of another and `id`: `cid` of `client`.
fn is_short_id(words: &[String], own: &[String]) -> bool {
    let initial = |only: &String| only.len() == 3 && only.ends_with("id");
    match (words.last(), own) {
        (Some(last), [only]) => initial(only) && last.as_bytes().first() == only.as_bytes().first(),
        _ => false,
    }
}

/// Shorter words are part of others by chance: `ip` of `geoip`.
const TELLING: usize = 3;

/// Returns the words of a parameter's name for the selected item: `client` of `clientId`.
pub(crate) fn own_words(name: &str) -> Vec<String> {
    let mut own = words(name);
    while own
        .last()
        .is_some_and(|word| is(word, Tag::Key) || word == "path" || word == "or")
    {
        own.pop();
    }
    // `idAction`
    if own.len() > 1 && own.first().is_some_and(|first| first == "id") {
        own.remove(0);
    }
    // `resourceId`, `shortName`
    let vague = |only| is(only, Tag::Anything) || is(only, Tag::Adjective) && only != name;
    if matches!(own.as_slice(), [only] if vague(only)) {
        own.clear();
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(many: &str, names: &[&str]) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        by(&words(many), &names).join(" ")
    }

    #[test]
    fn a_parameter_that_bears_the_name_tells_nothing() {
        for (many, name) in [
            ("users", "id"),
            ("users", "userId"),
            ("users", "username"),
            ("certificates", "cert_name"),
            ("job", "jobName"),
            ("connections", "vnet_id"),
            ("actions", "idAction"),
            ("virtualMachines", "vmName"),
            ("client", "cid"),
        ] {
            assert_eq!(chosen(many, &[name]), "", "{many}/{{{name}}}");
        }
    }

    #[test]
    fn another_tells_by_what_an_item_is_selected() {
        assert_eq!(chosen("attachments", &["FileName"]), "file");
        assert_eq!(chosen("users", &["email"]), "email");
        assert_eq!(chosen("events", &["eventType"]), "type");
        assert_eq!(chosen("orders", &["openOrderLetter"]), "open letter");
        assert_eq!(chosen("repos", &["owner", "repo"]), "");
    }
}

//! Objects of verbs: the nouns that change the meaning of a verb.

use super::phrase::Phrase;
use crate::language::{
    WordList, singular,
    vocabulary::{Tag, Verb, any, is},
};

/// Verbs that begin the name of a resource: `loginProfile`.
pub(super) static ENTRANCES: WordList = WordList::new("checkin checkout login signin signup");

/// Words that make a credential of the key after them.
static KEYS: WordList =
    WordList::new("access api app decrypted private secret service signing ssh temporary");

/// Words that make a credential of the code after them.
static CODES: WordList = WordList::new("access auth authorization otp recovery verification");

/// Words for what lets its holder in, before a link or a URL.
static ENTRIES: WordList = WordList::new("impersonation join login magic signin signon sso start");

/// Words for an address.
static LINKS: WordList = WordList::new("link links uri uris url urls");

/// Prepositions within the name of such a link: `single sign-on URL`.
static WITHIN: WordList = WordList::new("in on");

/// Words that begin a clause about the use of the object.
static USERS: WordList = WordList::new("it the they you");

/// Questions that are carried out: `run` a query.
static ASKED: WordList = WordList::new("aggregation lookup queries query read search searches");

/// Programs that may do anything.
static PROGRAMS: WordList = WordList::new("command dml graphql script sql statement");

/// Checks whether the verb only computes its object: `generate` a report.
pub(crate) fn derives<'a>(verb: &str, objects: impl Iterator<Item = &'a String>) -> bool {
    let makes = matches!(verb, "generate" | "run" | "build" | "report");
    let asks = matches!(verb, "run" | "execute" | "perform");
    // a statement of a database may change it
    let objects: Vec<&String> = objects.collect();
    let asks = asks && !objects.iter().any(|word| PROGRAMS.has(word));
    let derived = |word: &&String| makes && is(word, Tag::Derived) || asks && ASKED.has(word);
    objects.iter().any(|word| *word != verb && derived(word))
}

/// Checks whether a name asks a question: `isAuthorized`, `testPermissions`.
pub(crate) fn asks(verb: &str, words: &[String]) -> bool {
    let about_rights = words
        .last()
        .is_some_and(|last| matches!(singular(last).as_str(), "permission" | "access" | "right"));
    match verb {
        "is" | "has" | "can" | "does" => true,
        "test" | "check" => about_rights,
        _ => false,
    }
}

/// Checks whether the word is the result of another verb of the phrase: the report of `runReport`.
pub(crate) fn is_derived(word: &str, phrase: &Phrase) -> bool {
    is(word, Tag::Derived)
        && phrase
            .verbs
            .iter()
            .any(|(verb, _)| verb.base != word && derives(verb.base, phrase.words.iter()))
}

/// Checks whether the last word is the state of the thing that the others name.
pub(crate) fn is_state(phrase: &Phrase) -> bool {
    matches!(phrase.words.as_slice(), [_, .., last] if is_state_word(last))
}

/// Checks whether that state can be set.
pub(crate) fn is_settable(phrase: &Phrase) -> bool {
    is_state(phrase)
        && phrase
            .words
            .last()
            .is_some_and(|last| is(last, Tag::Settable))
}

/// Checks whether the word is a state: `status`, `settings`.
pub(crate) fn is_state_word(word: &str) -> bool {
    is(word, Tag::State)
}

/// Checks whether the singular is a remark about another resource, such as a comment.
pub(crate) fn is_remark(singular: &str) -> bool {
    is(singular, Tag::Remark)
}

/// Checks whether a phrase ends in a credential that a request creates.
pub(crate) fn is_credential(phrase: &Phrase) -> bool {
    names_credential(&phrase.words)
}

/// Checks whether the last words name a credential: `token`, `secret value`, `access keys`.
fn names_credential(words: &[String]) -> bool {
    let kind = |word: &str, is_kind: &dyn Fn(&str) -> bool| match words {
        [.., kind, last] => singular(last) == word && is_kind(kind),
        _ => false,
    };
    words.last().is_some_and(|last| is(last, Tag::Credential))
        || kind("signature", &|word| word == "access")
        || kind("string", &|word| word == "connection")
        || kind("key", &|word| KEYS.has(word))
        || kind("code", &|word| CODES.has(word))
        || kind("value", &|word| is(word, Tag::Credential))
}

/// Checks whether the last word names the secret of an item that a POST hands out: `listKeys`.
pub(crate) fn is_handed(words: &[String]) -> bool {
    let is_public = words.iter().any(|word| word == "public");
    let handed = words.last().map(|last| singular(last));
    let handed = handed.is_some_and(|last| {
        let joined = words.len() == 1 && (last.ends_with("key") || last.ends_with("secret"));
        joined || matches!(last.as_str(), "key" | "sas") || is(&last, Tag::Credential)
    });
    !is_public && (handed || names_credential(words))
}

/// Checks whether a verb starts a search, whose result a GET answers: `startBasicSearch`.
pub(crate) fn starts_search(verb: Verb, words: &[String]) -> bool {
    verb.base == "start" && ASKED.has_any(words)
}

/// Checks whether the words name a link that lets its holder in: `a single sign-on URL`.
pub(crate) fn is_entry(words: &[String]) -> bool {
    let ends =
        |word: &&String| is(word, Tag::Preposition) && !WITHIN.has(word) || is(word, Tag::Aside);
    let words: Vec<&String> = words.iter().take_while(|word| !ends(word)).collect();
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1);
        let signs = *word == "sign" && next.is_some_and(|next| WITHIN.has(next));
        let mut near = words.iter().skip(at + 1).take(3);
        (signs || ENTRIES.has(word)) && near.any(|link| LINKS.has(link))
    })
}

/// Checks whether the object of a verb expires soon: `temporary SSH keys`.
pub(crate) fn is_short_lived(rest: &[String]) -> bool {
    let mut words = object(rest);
    words.any(|word| matches!(word.as_str(), "temporary" | "short" | "ephemeral"))
}

/// The words of the object of a verb.
pub(crate) fn object(rest: &[String]) -> impl Iterator<Item = &String> {
    rest.iter()
        .enumerate()
        .take_while(|(at, word)| {
            let user = *at > 0 && USERS.has(word);
            !user && !is(word, Tag::Preposition) && !is(word, Tag::Aside)
        })
        .map(|(_, word)| word)
}

/// Checks whether the last word is a power: a credential, or the right to do something.
pub(crate) fn ends_in_power(words: &[String]) -> bool {
    words.last().is_some_and(|last| {
        let one = singular(last);
        is(last, Tag::Credential) || is(&one, Tag::Credential) || is(&one, Tag::Authority)
    })
}

/// Checks whether the words of a property name a power. A `key` may be that of an entry, and a
/// policy may only control an update.
pub(crate) fn is_power_to_give(words: &[String]) -> bool {
    let vague = |last: &String| matches!(singular(last).as_str(), "key" | "policy" | "grant");
    ends_in_secret(words) || ends_in_power(words) && !words.last().is_some_and(vague)
}

/// Checks whether the last word is a secret: `password`, `private-key`.
pub(crate) fn ends_in_secret(words: &[String]) -> bool {
    match words {
        [.., first, last] if singular(last) == "key" => {
            matches!(first.as_str(), "api" | "private" | "secret")
        }
        [.., last] => is(&singular(last), Tag::Secret) || last == "apikey",
        [] => false,
    }
}

/// Checks whether the object of a verb is indefinite: `a token`, `new credentials`.
pub(crate) fn is_any(rest: &[String]) -> bool {
    let mut words = rest.iter().map(String::as_str);
    matches!(words.next(), Some("a" | "an" | "new" | "temporary")) && words.next() != Some("single")
}

/// Checks whether a phrase ends in a short-lived credential.
pub(crate) fn is_passing(phrase: &Phrase) -> bool {
    phrase
        .words
        .last()
        .is_some_and(|last| is(last, Tag::Passing))
}

/// Checks whether a sentence obtains a credential: `Get an access token for the user`.
pub(crate) fn is_credential_got(verb: Option<Verb>, rest: &[String]) -> bool {
    verb.is_none_or(|verb| obtains(verb.base)) && ends_in_credential(rest)
}

/// Checks whether a sentence issues a credential: `Generate a new access token`. The verb `create`
/// creates, as for any other object.
pub(crate) fn is_credential_made(verb: Option<Verb>, rest: &[String]) -> bool {
    verb.is_some_and(|verb| {
        matches!(
            verb.base,
            "exchange" | "generate" | "issue" | "mint" | "request"
        )
    }) && ends_in_credential(rest)
}

/// Checks whether the object of a verb is a credential.
pub(crate) fn ends_in_credential(rest: &[String]) -> bool {
    let words: Vec<String> = object(rest).cloned().collect();
    names_credential(&words)
}

/// Checks whether the words name an upload URL.
pub(crate) fn is_upload(words: &[String]) -> bool {
    words.iter().any(|word| word.starts_with("upload"))
        && words
            .iter()
            .any(|word| matches!(word.as_str(), "url" | "urls" | "link" | "links"))
}

/// Checks whether a verb gets one item, so that getting a credential may create it.
pub(crate) fn obtains(verb: &str) -> bool {
    matches!(
        verb,
        "get" | "obtain" | "retrieve" | "fetch" | "read" | "export" | "download" | "reveal"
    )
}

/// Checks whether the result is stored elsewhere: `to an S3 bucket`.
pub(crate) fn leaves(words: &[String]) -> bool {
    let place = words
        .iter()
        .skip_while(|word| !matches!(word.as_str(), "to" | "into"));
    any(place, Tag::Destination)
}

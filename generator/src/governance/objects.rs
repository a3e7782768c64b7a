//! What is done it to: the nouns that change what a verb means.

use super::phrase::{ASIDES, PREPOSITIONS, Phrase};
use crate::english::{WordList, lexicon::Verb, singular};

/// Things that are made when they are asked for.
static CREDENTIALS: WordList = WordList::new(
    "apikey certificate credential credentials creds jwt otp passcode password secret sts token",
);

/// Those of them that hold for a while, so that they are made anew each time.
static PASSING: WordList = WordList::new("accesstoken jwt otp passcode sts token");

/// Credentials that no client is meant to read.
static SECRETS: WordList = WordList::new("passcode passphrase password passwd pwd secret");

/// What lets its holder do something with a thing, other than credentials.
static AUTHORITY: WordList = WordList::new(
    "acl admin collaborator entitlement grant key maintainer membership owner ownership permission \
     policy privilege role",
);

/// Things that are computed from what is there.
static DERIVED: WordList = WordList::new("forecast preview report reports summary");

/// Things about something else: its state, or what is set of it.
static STATES: WordList = WordList::new(
    "config configuration count counts details history info information list log logs metadata \
     metrics progress result results settings state stats status summary",
);

/// Those of them that can be set.
static SETTABLE: WordList =
    WordList::new("config configuration counts details list metadata settings");

/// Remarks about something else.
static REMARKS: WordList = WordList::new("annotation comment note remark reply");

/// Words for places outside of the service: what is put there changes something.
static DESTINATIONS: WordList =
    WordList::new("bucket dataset destination email queue storage table topic warehouse");

/// Whether the verb makes something that is only computed: `generate` a report.
pub(crate) fn derives<'a>(verb: &str, mut objects: impl Iterator<Item = &'a String>) -> bool {
    matches!(verb, "generate" | "run" | "build" | "report")
        && objects.any(|word| word != verb && DERIVED.has(word))
}

/// Whether the word is what another verb of the phrase makes: the report of `runReport`.
pub(crate) fn is_derived(word: &str, phrase: &Phrase) -> bool {
    DERIVED.has(word)
        && phrase
            .verbs
            .iter()
            .any(|(verb, _)| verb.base != word && derives(verb.base, phrase.words.iter()))
}

/// Whether the last of several words is the state of what the others name.
pub(crate) fn is_state(phrase: &Phrase) -> bool {
    matches!(phrase.words.as_slice(), [_, .., last] if is_state_word(last))
}

/// Whether that state can be set.
pub(crate) fn is_settable(phrase: &Phrase) -> bool {
    is_state(phrase) && phrase.words.last().is_some_and(|last| SETTABLE.has(last))
}

/// Whether the word is the state of something: `status`, `settings`.
pub(crate) fn is_state_word(word: &str) -> bool {
    STATES.has(word)
}

/// Whether the singular is a remark about something else: a comment.
pub(crate) fn is_remark(singular: &str) -> bool {
    REMARKS.has(singular)
}

/// Whether a phrase ends in something that is made when it is asked for.
pub(crate) fn is_credential(phrase: &Phrase) -> bool {
    phrase
        .words
        .last()
        .is_some_and(|last| CREDENTIALS.has(last))
}

/// Whether the last of several words is a power: a credential, or what a user may do.
pub(crate) fn ends_in_power(words: &[String]) -> bool {
    words.last().is_some_and(|last| {
        let one = singular(last);
        CREDENTIALS.has(last) || CREDENTIALS.has(&one) || AUTHORITY.has(&one)
    })
}

/// Whether the words of a property name a power. A `key` may be that of an entry, and a policy one
/// of how an update is carried out.
pub(crate) fn is_power_to_give(words: &[String]) -> bool {
    let vague = |last: &String| matches!(singular(last).as_str(), "key" | "policy" | "grant");
    ends_in_secret(words) || ends_in_power(words) && !words.last().is_some_and(vague)
}

/// Whether the last of several words is a secret: `password`, `private-key`.
pub(crate) fn ends_in_secret(words: &[String]) -> bool {
    match words {
        [.., first, last] if singular(last) == "key" => {
            matches!(first.as_str(), "api" | "private" | "secret")
        }
        [.., last] => SECRETS.has(&singular(last)) || last == "apikey",
        [] => false,
    }
}

/// Whether the object of a verb is any one, not a certain one: `a token`, `new credentials`.
pub(crate) fn is_any(rest: &[String]) -> bool {
    let mut words = rest.iter().map(String::as_str);
    matches!(words.next(), Some("a" | "an" | "new" | "temporary")) && words.next() != Some("single")
}

/// Whether a phrase ends in a credential that is made anew each time.
pub(crate) fn is_passing(phrase: &Phrase) -> bool {
    phrase.words.last().is_some_and(|last| PASSING.has(last))
}

/// Whether a sentence says that a credential is got: `Get an access token for the user`.
pub(crate) fn is_credential_got(verb: Option<Verb>, rest: &[String]) -> bool {
    verb.is_none_or(|verb| obtains(verb.base)) && ends_in_credential(rest)
}

/// Whether a sentence says that a credential is given out: `Generate a new access token`. To create
/// one is to create, as of any other thing.
pub(crate) fn is_credential_made(verb: Option<Verb>, rest: &[String]) -> bool {
    verb.is_some_and(|verb| {
        matches!(
            verb.base,
            "exchange" | "generate" | "issue" | "mint" | "request"
        )
    }) && ends_in_credential(rest)
}

/// Whether the object of a verb is a credential.
pub(crate) fn ends_in_credential(rest: &[String]) -> bool {
    rest.iter()
        .take_while(|word| !PREPOSITIONS.has(word) && !ASIDES.has(word))
        .last()
        .is_some_and(|last| CREDENTIALS.has(last))
}

/// Whether the words are of a place to upload to.
pub(crate) fn is_upload(words: &[String]) -> bool {
    words.iter().any(|word| word.starts_with("upload"))
        && words
            .iter()
            .any(|word| matches!(word.as_str(), "url" | "urls" | "link" | "links"))
}

/// Whether a verb gets one thing, so that getting a credential may make it.
pub(crate) fn obtains(verb: &str) -> bool {
    matches!(verb, "get" | "obtain" | "retrieve" | "fetch" | "read")
}

/// Whether what is done is put somewhere: `to an S3 bucket`.
pub(crate) fn leaves(words: &[String]) -> bool {
    let place = words
        .iter()
        .skip_while(|word| !matches!(word.as_str(), "to" | "into"));
    DESTINATIONS.has_any(place)
}

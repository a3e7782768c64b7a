//! Splits words of a path that join several: `pullrequests`.

use super::{abbreviations::is_word, context::Context};
use crate::language::{
    plural,
    reading::Step,
    singular,
    vocabulary::{Tag, is, is_known, verb},
    words,
};

/// The least letters of a word that is split.
const LONG: usize = 9;

/// The least letters of an unknown word that is split as a text spells it.
const UNKNOWN: usize = 5;

/// So many words of a text may spell a word.
const SPELT: usize = 100;

/// Splits words of the path that the operation id, the summary, a schema, a parameter or a tag spells
/// as several.
pub(crate) fn split_compounds(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let is_long = |word: &str| {
        let unknown = || !is_known(word) && !is_word(word) && !is_word(&singular(word));
        word.len() >= LONG || word.len() >= UNKNOWN && unknown()
    };
    let long = |step: &Step| step.words.iter().any(|word| is_long(word));
    if !steps.iter().any(long) {
        return false;
    }
    let facts = context.reading.facts;
    let schemas = [
        &facts.schemas.element,
        &facts.schemas.answer,
        &facts.schemas.body,
    ];
    let id = facts.operation_id.iter();
    let texts = id.map(String::as_str).chain(facts.texts());
    let schemas = schemas.into_iter().flatten().map(String::as_str);
    let queries = facts.query_parameters.iter().map(|query| &query.name);
    let properties = facts.body.iter().flat_map(|body| &body.properties);
    let names = facts.path_parameters.iter().chain(&facts.tags);
    let names = names.chain(queries).chain(properties).map(String::as_str);
    let beginning = |text: &str| -> Vec<String> { words(text).into_iter().take(SPELT).collect() };
    let told = texts.chain(schemas).chain(names);
    let told: Vec<Vec<String>> = told.map(beginning).collect();
    let one_word = |word: &String| {
        let one = singular(word);
        let mut prose = facts.texts().flat_map(words);
        prose.any(|own| singular(&own) == one)
    };
    let mut split = false;
    for step in steps {
        let parts = |word: &String| {
            if !is_long(word) {
                return vec![word.clone()];
            }
            let mut found = told.iter().filter_map(|told| spelt(word, told));
            let known = || known_words(word).filter(|_| !one_word(word));
            let called = || {
                if let Some(before) = word.strip_suffix("all").filter(|it| is_plain_verb(it)) {
                    return Some(vec![before.to_owned(), "all".to_owned()]);
                }
                let (verb, rest) = after_verb(word)?;
                let rest = known_words(rest).unwrap_or_else(|| vec![rest.to_owned()]);
                Some([vec![verb.to_owned()], rest].concat())
            };
            let found = found.next().or_else(known).or_else(called);
            found.unwrap_or_else(|| vec![word.clone()])
        };
        let words: Vec<String> = step.words.iter().flat_map(parts).collect();
        split |= words.len() > step.words.len();
        step.words = words;
    }
    split
}

/// Splits long words as the operation id or the text spells them.
pub(crate) fn spelt_words(context: &Context<'_>, own: &[String]) -> Vec<String> {
    let parts = |word: &String| {
        let joins = word.len() >= UNKNOWN && !is_known(word) && !is_known(&singular(word));
        let texts = [&context.id, &context.text].into_iter();
        let mut told = texts.filter(|_| joins);
        let found = told.find_map(|text| spelt(word, text.get(..SPELT).unwrap_or(text)));
        found.unwrap_or_else(|| vec![word.clone()])
    };
    own.iter().flat_map(parts).collect()
}

/// The least letters of the parts of a word that no text spells.
const PART: usize = 4;

/// Nouns of three letters that many words end with: `listkeys`.
const SHORT: [&str; 5] = ["app", "job", "key", "log", "tag"];

/// Splits a word that is two or three known ones: `documenttemplates`.
fn known_words(word: &str) -> Option<Vec<String>> {
    const NO_PART: [Tag; 2] = [Tag::Preposition, Tag::Particle];
    // `portable`, `partnership`
    const ENDINGS: [&str; 2] = ["able", "ship"];
    let one = singular(word);
    let known = |word: &str| {
        let part = NO_PART.iter().all(|tag| !is(word, *tag)) && !ENDINGS.contains(&word);
        part && is_known(word) || is_word(word)
    };
    let whole = |word: &str| is(word, Tag::Whole) && !is_word(word);
    let short = SHORT.iter().any(|end| one.ends_with(end));
    if word.len() < LONG && !short || is_known(&one) || known(&one) || known(word) {
        return None;
    }
    let ends = |last: &str| {
        let last = singular(last);
        last.len() >= PART && known(&last) && !whole(&last) || SHORT.contains(&last.as_str())
    };
    let begins = |whole| beginnings(whole).filter(|(first, _)| known(first));
    let two = begins(word).filter(|(_, last)| ends(last));
    let two: Vec<_> = two.map(|(first, last)| vec![first, last]).collect();
    let three = begins(word).flat_map(|(first, rest)| {
        let splits = begins(rest).filter(|(_, last)| ends(last));
        splits.map(move |(second, last)| vec![first, second, last])
    });
    let found = if two.is_empty() { three.collect() } else { two };
    match found.as_slice() {
        [only] => Some(only.iter().map(|part| (*part).to_owned()).collect()),
        _ => None,
    }
}

/// Returns the splits of a word into a beginning and a rest.
fn beginnings(word: &str) -> impl Iterator<Item = (&str, &str)> {
    (PART..word.len()).filter_map(|at| word.split_at_checked(at))
}

/// Checks whether a word can only be a verb: `close` of `closeall`.
fn is_plain_verb(word: &str) -> bool {
    word.len() >= SHORTEST && verb(word).is_some_and(|verb| verb.is_plain())
}

/// The least letters of a verb before `all`.
const SHORTEST: usize = 3;

/// Splits a word that begins with the verb of a call: `gethomedata`.
fn after_verb(word: &str) -> Option<(&'static str, &str)> {
    // `listeners`, `createddates`
    const VERBS: [(&str, &str); 6] = [
        ("create", "d"),
        ("get", "t"),
        ("list", "e"),
        ("remove", "d"),
        ("send", "e"),
        ("update", "d"),
    ];
    VERBS.iter().find_map(|(verb, other)| {
        let rest = word.strip_prefix(verb)?;
        let other = rest.starts_with(other) || rest.starts_with("ing");
        let thing = rest.len() > PART && !other;
        thing.then_some((*verb, rest))
    })
}

/// The most letters by which a plural is longer.
const ENDING: usize = 2;

/// Returns a word as a text spells it, if that is several words.
fn spelt(word: &str, id: &[String]) -> Option<Vec<String>> {
    let runs = (2..=6).flat_map(|length| id.windows(length));
    let one = singular(word);
    let same = |run: &&[String]| {
        let letters: usize = run.iter().map(String::len).sum();
        if letters.abs_diff(word.len()) > ENDING {
            return false;
        }
        let joint = |part: &String| is(part, Tag::Preposition) || is(part, Tag::Particle);
        // `holidays by time period`, but not `on line`
        let inner =
            run.len() > 2 && !run.first().is_some_and(joint) && !run.last().is_some_and(joint);
        let parts = run
            .iter()
            .all(|part| part.len() > 1 && (inner || !joint(part)));
        // `sso role`, but not `it ems`
        let long = word.len() >= LONG || run.last().is_some_and(|last| last.len() >= PART);
        parts && long && (singular(&run.concat()) == one || is_inner_plural(word, run))
    };
    let mut found = runs.filter(same);
    let run = found.next()?;
    let mut run = run.to_vec();
    if let Some(last) = run.last_mut()
        && word.ends_with('s')
        && !last.ends_with('s')
    {
        *last = plural(last);
    }
    Some(run)
}

/// Checks whether a word is several, one of them in the plural: `benefitsinkind` of `BenefitInKind`.
fn is_inner_plural(word: &str, run: &[String]) -> bool {
    let with_plural = |at: usize| {
        let words = run.iter().enumerate();
        let words = words.map(|(own, part)| {
            if own == at {
                plural(part)
            } else {
                part.clone()
            }
        });
        words.collect::<String>() == word
    };
    word.contains('s') && (0..run.len().saturating_sub(1)).any(with_plural)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_spells_a_word_of_several() {
        for (word, text, expected) in [
            ("benefitsinkind", "BenefitInKind", Some("benefit in kind")),
            ("pullrequests", "pull request", Some("pull requests")),
            ("online", "on line", None),
        ] {
            let spelt = spelt(word, &words(text)).map(|words| words.join(" "));
            assert_eq!(spelt.as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn two_known_nouns_are_split() {
        let split = |word| known_words(word).map(|words| words.join(" "));
        assert_eq!(split("contactperson").as_deref(), Some("contact person"));
        assert_eq!(split("exportjobs").as_deref(), Some("export jobs"));
        assert_eq!(
            split("customerpaymenttemplate").as_deref(),
            Some("customer payment template")
        );
        assert_eq!(split("workgroup"), None);
        assert_eq!(split("partnership"), None);
    }
}

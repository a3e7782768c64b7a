//! Adjectives, and the nouns that they describe.

use toolwright_model::Method;

use super::{context::Context, noun::has_plural, shape::looks_adjective, told::has};
use crate::language::{
    Form,
    clause::Clause,
    facts::AnswerShape,
    is_plural, plural,
    reading::{Step, StepSource},
    singular,
    vocabulary::{Tag, is, verb, verb_form},
    words,
};

/// The most words of a described noun.
const MOST: usize = 3;

/// `items/{id}/related` with `Get related products`: takes the noun of a step that only describes it.
pub(super) fn complete_adjective(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let Some((last, before)) = steps.split_last() else {
        return false;
    };
    let [only] = last.words.as_slice() else {
        return false;
    };
    let literal = last.source == StepSource::Literal;
    let free = last.keys.is_empty();
    let adjective = is_adjective(only);
    let describes = adjective || looks_adjective(only);
    let describes = describes && !is(only, Tag::Many) && verb(only).is_none();
    let parent = before.last();
    let turns = parent.is_some_and(|step| !step.is_item() && step.is_many());
    if !literal || !describes || turns {
        return false;
    }
    let mut clauses = context.reading.clauses();
    let found = clauses.find_map(|clause| noun_after(clause, only));
    let found = found.or_else(|| noun_before(context.reading.summary_clause()?, only));
    // `following` is also a noun
    let past = free && adjective && !only.ends_with("ing");
    let schema = || noun_of_schema(context, before, only).filter(|_| past);
    let new = |words: &Vec<String>| {
        let noun = words.last().zip(parent);
        free || noun.is_none_or(|(noun, step)| step.is_item() || !has(&step.words, noun))
    };
    let shared = || noun_of_texts(context, before, only).filter(|_| past);
    if let Some(words) = found.filter(new).or_else(shared).or_else(schema) {
        // `types/{id}/accessible` with `getAccessibleType`
        let own = |step: &Step| step.is_item() && words.last() == Some(&singular(step.last()));
        if parent.is_some_and(own) {
            steps.pop();
        }
        if let Some(last) = steps.last_mut() {
            last.words = words;
        }
        return true;
    }
    let item = parent.filter(|step| step.is_item() && step.source == StepSource::Literal);
    let own = past && item.is_some_and(|step| is_of_item(context, step));
    if own {
        let mut words = steps.pop().map(|step| step.words).unwrap_or_default();
        if let Some(thing) = steps.last_mut() {
            words.append(&mut thing.words);
            thing.words = words;
        }
    }
    own
}

/// Checks whether the answer is the item of a step: `users/{id}/public` with the schema `PublicUser`,
/// `transactions/{id}/decoded` with `getTransaction`.
fn is_of_item(context: &Context<'_>, step: &Step) -> bool {
    let one = singular(step.last());
    let answer = context.reading.facts.schemas.answer.as_deref();
    let gets = |clause: &Clause| {
        let gets = clause.answers || clause.has_verb("get");
        gets && clause.head_noun() == Some(one.as_str())
    };
    let named = answer.and_then(schema_noun);
    named.is_some_and(|named| named == one) || context.reading.clauses().any(gets)
}

/// Checks whether a word may be the noun that an adjective describes.
fn is_plain(word: &String) -> bool {
    let letters = word.bytes().all(|b| b.is_ascii_alphabetic());
    let empty = is(word, Tag::Hollow) || is(word, Tag::Anything);
    letters && verb(word).is_none() && !empty && word != "me"
}

/// Returns an adjective and the noun after it in a clause: `related products`.
fn noun_after(clause: &Clause, adjective: &String) -> Option<Vec<String>> {
    let at = clause.object.iter().position(|word| word == adjective)?;
    let words = clause.object.get(at..)?;
    let ends = words.iter().rposition(|word| !is_adjective(word))?;
    let words = match words.get(..=ends)? {
        // `available client-level roles`
        [first, .., last] if words.len() > MOST => vec![first.clone(), last.clone()],
        words => words.to_vec(),
    };
    let takes = words.len() > 1 && words.iter().skip(1).all(is_plain);
    takes.then_some(words)
}

/// Returns an adjective and the plural before it in a clause: `repositories starred by a user`, `recipes
/// related to another`.
fn noun_before(clause: &Clause, adjective: &String) -> Option<Vec<String>> {
    let next = clause.tail.get(..1).unwrap_or_default();
    let words = [clause.object.as_slice(), next].concat();
    let at = words.iter().position(|word| word == adjective)?;
    let nouns = words.get(..at)?;
    let many = nouns.last().is_some_and(|noun| is_plural(noun)) && nouns.len() < MOST;
    let takes = many && nouns.iter().all(is_plain);
    takes.then(|| [std::slice::from_ref(adjective), nouns].concat())
}

/// Returns an adjective and the plural of the elements that the operation lists, if no step before it that
/// selects nothing has that noun.
fn noun_of_schema(context: &Context<'_>, before: &[Step], adjective: &str) -> Option<Vec<String>> {
    let facts = context.reading.facts;
    let noun = schema_noun(facts.schemas.element.as_deref()?)?;
    let shape = facts.success()?.shape;
    // `DeletedUsers`, a page of `DeletedUser`
    let page = words(facts.schemas.answer.as_deref().unwrap_or_default());
    let lists = shape == AnswerShape::Array || facts.answers_list() && has(&page, &noun);
    let told = |step: &Step| !step.is_item() && has(&step.words, &noun);
    let takes = facts.method == Method::Get && lists && is_plain(&noun) && !before.iter().any(told);
    takes.then(|| vec![adjective.to_owned(), plural(&noun)])
}

/// Returns an adjective and the noun that both the operation id and the summary have, if no step before it has that
/// noun: `streams/{id}/recorded` with `updateValues` and `Update values`.
fn noun_of_texts(context: &Context<'_>, before: &[Step], adjective: &str) -> Option<Vec<String>> {
    let [noun] = context.reading.summary_clause()?.object.as_slice() else {
        return None;
    };
    let known = before.iter().any(|step| has(&step.words, noun));
    let takes = context.id.contains(noun) && is_plain(noun) && !is_adjective(noun) && !known;
    takes.then(|| vec![adjective.to_owned(), noun.clone()])
}

/// Returns the noun in the name of a schema: `role` of `RoleRepresentation`.
pub(super) fn schema_noun(name: &str) -> Option<String> {
    const SUFFIXES: [&str; 15] = [
        "contract",
        "dto",
        "entry",
        "enum",
        "full",
        "item",
        "mini",
        "model",
        "output",
        "representation",
        "resource",
        "response",
        "simple",
        "view",
        "vm",
    ];
    // `SongForContract`
    let ends = |word: &String| !is(word, Tag::Preposition);
    let words: Vec<String> = words(name.rsplit('.').next()?)
        .into_iter()
        .take_while(ends)
        .collect();
    let suffix = |word: &&String| is(word, Tag::Hollow) || SUFFIXES.contains(&word.as_str());
    let noun = words.iter().rev().find(|word| !suffix(word))?;
    (!name.contains(',') && has_plural(noun)).then(|| noun.clone())
}

/// Checks whether a word may be left out before a noun: `incoming`.
pub(crate) fn describes(word: &str) -> bool {
    is_adjective(word) || word.ends_with("ing")
}

/// Checks whether the word describes a thing: `archived`, `supported`, but not `feed`.
pub(crate) fn is_adjective(word: &str) -> bool {
    const SHORT: usize = 5;
    let looks = word.len() >= SHORT && word.ends_with("ed") && !word.ends_with("eed");
    let participle = matches!(verb_form(word), Some((_, Form::Gerund | Form::Past)));
    is(word, Tag::Adjective) || participle || looks
}

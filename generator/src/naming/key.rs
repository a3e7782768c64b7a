//! The rule `key`: the key that selects the thing.

use toolwright_model::Kind;

use super::{
    noun::{END, NounAtom, NounTier, Told},
    rule::RuleSubject,
    told::{has, has_like},
};
use crate::language::{
    clause::Clause,
    reading::parameter::by,
    singular,
    vocabulary::{Tag, is},
    words,
};

/// The key that selects the thing.
pub(crate) fn key(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    let Some(step) = subject.choice.steps.last() else {
        return Vec::new();
    };
    // `members/{user}`: to add a member; `search/{text}`
    let seeks = matches!(subject.choice.verb, "query" | "search");
    if seeks || is(subject.choice.verb, Tag::Moves) {
        return Vec::new();
    }
    let keys = [step.keys.as_slice(), &step.filters].concat();
    let mut by = by(&step.words, &keys);
    // `tables/floats/{tableName}`
    let parents = subject.parents();
    let of_parent = |word: &String| {
        let mut parents = parents.iter();
        parents.any(|parent| singular(parent.last()) == singular(word))
    };
    if by.iter().any(of_parent) {
        by.clear();
    }
    if keys.is_empty() {
        by = asked(subject).unwrap_or_default();
    }
    if by.is_empty()
        || !is_told_key(subject, &by)
        || step.words.iter().any(|word| word == "by")
        || !subject.choice.object.is_empty()
    {
        return Vec::new();
    }
    let words = std::iter::once("by".to_owned()).chain(by).collect();
    vec![NounAtom {
        words,
        tier: NounTier::By,
        chosen: false,
        told: Told::Yes,
        needed: true,
        distance: 0,
        place: (END, 0),
    }]
}

/// Checks whether a text has the words of a key: any of them if the operation reads, or else one that
/// follows `by`. Without any text, the key of a read tells something.
fn is_told_key(subject: &RuleSubject<'_>, key: &[String]) -> bool {
    const NEAR: usize = 24;
    let context = subject.context;
    let reads = context.kind <= Kind::Derive;
    let texts = [&context.id, &context.text];
    if texts.iter().all(|text| text.is_empty()) {
        return reads;
    }
    let own = |word: &String| key.iter().any(|key| singular(key) == singular(word));
    let mut texts = texts.into_iter().map(|text| {
        let by = text.iter().position(|word| word == "by");
        let from = if reads { Some(0) } else { by };
        let words = from.and_then(|from| text.get(from..)).unwrap_or_default();
        words.iter().take(NEAR)
    });
    texts.any(|mut words| words.any(own))
}

/// Returns the key that a query parameter or a property of the body has: `getGifsById` of `/gifs`.
fn asked(subject: &RuleSubject<'_>) -> Option<Vec<String>> {
    let reading = subject.context.reading;
    let facts = reading.facts;
    let creates = matches!(subject.choice.verb, "create" | "upsert");
    let summary = reading.summary_clause();
    let summary = summary.filter(|_| facts.summary.is_some());
    let id = reading.id_clause().and_then(after_by);
    let found = id.or_else(|| summary.and_then(after_by))?;
    let within = |name: &String| found.iter().any(|word| has(&words(name), word));
    let properties = facts.body.iter().flat_map(|body| &body.properties);
    let queries = facts.query_parameters.iter().map(|query| &query.name);
    let asks = queries.chain(properties).any(within);
    let steps = &subject.choice.steps;
    let again = |word: &String| steps.iter().any(|step| has_like(&step.words, word));
    let free = !facts.path_parameters.iter().any(within) && !found.iter().any(again);
    (asks && free && !creates).then_some(found)
}

/// Returns the few words after `by` in a clause: `dealer id` of `Listings by dealer ID`.
fn after_by(clause: &Clause) -> Option<Vec<String>> {
    const MOST: usize = 3;
    let (first, rest) = clause.tail.split_first()?;
    let ends = |word: &&String| !is(word, Tag::Preposition) && !is(word, Tag::Aside);
    let plain = |word: &&String| {
        let tags = [Tag::Article, Tag::Determiner, Tag::Own];
        tags.iter().all(|tag| !is(word, *tag)) && *word != "its"
    };
    let words = rest.iter().take_while(ends).filter(plain);
    let words: Vec<String> = words.cloned().collect();
    // `by uploading an image file`
    let does = words.first().is_some_and(|first| first.ends_with("ing"));
    (first == "by" && !does && (1..=MOST).contains(&words.len())).then_some(words)
}

//! The rules of the noun: each gives atoms, which [`fit`](super::fit) puts together.

use toolwright_model::Kind;

use super::rules::RuleSubject;
use crate::language::{
    Form,
    clause::{Clause, is_version},
    is_plural,
    reading::{Step, StepSource, parameter::by},
    singular,
    vocabulary::{Tag, is, is_past, verb, verb_form},
    words,
};

/// The grammatical number of the noun's last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// One thing.
    One,
    /// Many things.
    Many,
    /// As the path writes it.
    AsWritten,
}

/// A word or more of a noun that stay or go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NounAtom {
    /// The words.
    pub(crate) words: Vec<String>,
    /// The rank: while there is room, atoms of lower tiers are taken first, and among these the nearest.
    pub(crate) tier: NounTier,
    /// The distance from the thing.
    pub(crate) distance: usize,
    /// The position in the noun: the step, and the position within it.
    pub(crate) place: (usize, usize),
}

/// The tier of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NounTier {
    /// The thing itself: the last word.
    Thing,
    /// The version.
    Version,
    /// The other words of the thing, from the last on.
    OfThing,
    /// The key that selects the thing.
    By,
    /// The nearest parent of which a parameter selects an item.
    Nearest,
    /// The parents between the nearest selected one and the thing, the nearest first.
    Between,
    /// The other selected parents, the nearest first, as long as none is left out.
    Chosen,
    /// The other parents, the nearest first, as long as no nearer one is left out.
    Other,
    /// Words with little meaning, such as `information`.
    Hollow,
}

/// More words are a description.
const MOST_SOUGHT: usize = 3;

/// The position after all steps.
pub(crate) const END: usize = usize::MAX;

impl RuleSubject<'_> {
    /// Returns the words of the thing and its position.
    fn thing(&self) -> Option<(usize, &[String])> {
        let steps = &self.choice.steps;
        if !self.choice.object.is_empty() {
            return Some((steps.len(), &self.choice.object));
        }
        let at = steps.len().checked_sub(1)?;
        // `/{name}`
        let named = |step: &Step| step.source != StepSource::Parameter || !is_vague(step);
        if !steps.iter().any(named) && !self.context.reading.id.is_empty() {
            return None;
        }
        steps.get(at).map(|step| (at, step.words.as_slice()))
    }

    /// Returns the words of a clause that may be a thing.
    fn own_words(&self, clause: &Clause) -> Vec<String> {
        let own = |word: &&String| {
            let says = verb(word).is_none_or(|verb| verb.tool != Some(self.choice.verb));
            let service = *word == self.context.service.as_str();
            says && !service && !is(word, Tag::Itself) && !is_version(word)
        };
        let ends =
            |word: &&String| !is_past(word) && !word.starts_with(|c: char| c.is_ascii_digit());
        let words = clause.topic.iter().chain(&clause.object);
        words.take_while(ends).filter(own).cloned().collect()
    }

    /// Returns what the summary looks for: `items` of `Search for items`.
    fn sought(&self) -> Vec<String> {
        let tail = self.context.reading.summary_clause().map(|it| &it.tail);
        let words = tail.into_iter().flatten().skip_while(|word| *word != "for");
        let describes = |word: &&String| is(word, Tag::Determiner) || is(word, Tag::Article);
        let words = words.skip(1).skip_while(describes);
        let ends = |word: &&String| !is(word, Tag::Preposition) && !is(word, Tag::Aside);
        let words: Vec<String> = words.take_while(ends).cloned().collect();
        if words.len() > MOST_SOUGHT {
            Vec::new()
        } else {
            words
        }
    }

    /// Checks whether the verb is done to one thing.
    fn is_one(&self) -> bool {
        !is(self.choice.verb, Tag::OfMany)
    }

    /// Returns the parents of the thing.
    fn parents(&self) -> &[Step] {
        let at = self.thing().map_or(0, |(at, _)| at);
        self.choice.steps.get(..at).unwrap_or_default()
    }

    /// Returns the position of the nearest parent of which a parameter selects an item.
    fn nearest(&self) -> Option<usize> {
        self.parents().iter().rposition(Step::is_item)
    }
}

/// The words of the thing. A relation at its end stays together: `on-hold` of `versions-on-hold`.
pub(crate) fn thing(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    let Some((place, words)) = subject.thing() else {
        return Vec::new();
    };
    let relation = words
        .iter()
        .skip(1)
        .position(|word| is(word, Tag::Preposition));
    let end = relation.map_or(words.len(), |at| at + 1);
    let (words, relation) = words.split_at_checked(end).unwrap_or_default();
    let last = words.len().saturating_sub(1);
    let atom = |(at, word): (usize, &String)| NounAtom {
        words: vec![word.clone()],
        tier: match last - at {
            0 => NounTier::Thing,
            _ if is(word, Tag::Hollow) => NounTier::Hollow,
            _ => NounTier::OfThing,
        },
        distance: last - at,
        place: (place, at + 1),
    };
    let mut atoms: Vec<NounAtom> = words.iter().enumerate().map(atom).collect();
    atoms.extend((!relation.is_empty()).then(|| NounAtom {
        words: relation.to_vec(),
        tier: NounTier::By,
        distance: 0,
        place: (place, end + 1),
    }));
    atoms
}

/// The parents in the singular, but for words that are one thing: `settings`. Of more than two words,
/// the first may be left out by themselves.
pub(crate) fn parents(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    const PAIR: usize = 2;
    let nearest = subject.nearest();
    let parents = subject.parents();
    let mut atoms = Vec::new();
    for (at, step) in parents.iter().enumerate() {
        let parameter = step.source == StepSource::Parameter;
        if parameter && is_vague(step) {
            continue;
        }
        let hollow = step.words.iter().all(|word| is(word, Tag::Hollow));
        let tier = match nearest {
            Some(nearest) if at == nearest => NounTier::Nearest,
            _ if step.is_item() => NounTier::Chosen,
            _ if hollow => NounTier::Hollow,
            Some(nearest) if at > nearest => NounTier::Between,
            _ => NounTier::Other,
        };
        let mut words = step.words.clone();
        // `settings`, `ins`
        let kept = |last: &str| is(last, Tag::Single) || is(&singular(last), Tag::Preposition);
        let one = |last: &&mut String| step.is_item() || !kept(last);
        if let Some(last) = words.last_mut().filter(one).filter(|_| !parameter) {
            *last = singular(last);
        }
        let end = words.split_off(words.len().saturating_sub(PAIR));
        let count = words.len();
        let distance = (parents.len() - at) * FAR;
        let atom = |words, place, distance| NounAtom {
            words,
            tier,
            distance,
            place: (at, place),
        };
        let first = words.into_iter().enumerate();
        atoms.extend(first.map(|(word, text)| atom(vec![text], word + 1, distance + count - word)));
        atoms.push(atom(end, count + 1, distance));
    }
    atoms
}

/// More words than a step has.
const FAR: usize = 100;

/// `current`, before the caller's own resource.
pub(crate) fn current(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    let reading = subject.context.reading;
    let told = reading
        .summary
        .iter()
        .chain(&reading.id)
        .any(|clause| clause.own);
    let caller = |step: &Step| {
        !step.is_item() && matches!(step.words.as_slice(), [only] if is(only, Tag::Caller))
    };
    let first = subject.choice.steps.first().is_some_and(caller) && told;
    let current = first.then(|| word("current", NounTier::Nearest, (0, 0)));
    current.into_iter().collect()
}

/// `all`, before the things of a call.
pub(crate) fn all(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    let place = subject.thing().filter(|_| subject.choice.all);
    let reads = is(subject.choice.verb, Tag::OfMany) || subject.choice.verb == "get";
    let all = place.filter(|(_, words)| !reads && words.iter().all(|word| word != "all"));
    all.map(|(at, _)| word("all", NounTier::OfThing, (at, 0)))
        .into_iter()
        .collect()
}

/// The key that selects the thing.
pub(crate) fn key(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    let Some(step) = subject.choice.steps.last() else {
        return Vec::new();
    };
    // `members/{user}`: to add a member
    if is(subject.choice.verb, Tag::Moves) {
        return Vec::new();
    }
    let keys = [step.keys.as_slice(), &step.filters].concat();
    let mut by = by(&step.words, &keys);
    // `tables/floats/{tableName}`
    let parents = subject.parents();
    by.retain(|word| {
        !parents
            .iter()
            .any(|parent| singular(parent.last()) == singular(word))
    });
    if by.is_empty()
        || step.words.iter().any(|word| word == "by")
        || !subject.choice.object.is_empty()
    {
        return Vec::new();
    }
    let words = std::iter::once("by".to_owned()).chain(by).collect();
    vec![NounAtom {
        words,
        tier: NounTier::By,
        distance: 0,
        place: (END, 0),
    }]
}

/// The version of the resource, from the path or the operation id.
pub(crate) fn version(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    let path = &subject.context.reading.path;
    let id = subject.context.reading.facts.operation_id.as_deref();
    let mut told = words(id.unwrap_or_default()).into_iter();
    let told = told.find(|word| is_version(word) && word != "v1" && !word.starts_with("v0"));
    let words = match told.filter(|_| path.version.is_empty()) {
        Some(version) => vec![version],
        None => path.version.clone(),
    };
    if words.is_empty() {
        return Vec::new();
    }
    vec![NounAtom {
        words,
        tier: NounTier::Version,
        distance: 0,
        place: (END, 1),
    }]
}

/// The thing of the operation id or the summary, if the path has none.
pub(crate) fn of_id(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    if subject.thing().is_some() {
        return Vec::new();
    }
    let reading = subject.context.reading;
    let gets = subject.context.kind <= Kind::Derive;
    let summary = reading
        .summary_clause()
        .filter(|clause| gets || !clause.answers);
    let main = reading.id.iter().take(1).chain(summary);
    let mut nouns = main.map(|clause| subject.own_words(clause));
    let mut noun = nouns.find(|noun| !noun.is_empty()).unwrap_or_default();
    // `projects.dashboards.delete`
    let parents = reading
        .id
        .iter()
        .skip(1)
        .map(|clause| subject.own_words(clause));
    let mut words: Vec<String> = Vec::new();
    for mut parent in parents {
        if let Some(last) = parent.last_mut().filter(|_| subject.is_one()) {
            *last = singular(last);
        }
        words.extend(parent);
    }
    words.append(&mut noun);
    if words.is_empty() {
        words = subject.sought();
    }
    if words.is_empty() {
        let root = reading.facts.path == "/";
        let asks = is(subject.choice.verb, Tag::OfMany);
        let word = if root {
            "root"
        } else if asks {
            "results"
        } else {
            "service"
        };
        words.push(word.to_owned());
    }
    let last = words.len() - 1;
    let atom = |(at, word): (usize, String)| NounAtom {
        words: vec![word],
        tier: if at == last {
            NounTier::Thing
        } else {
            NounTier::OfThing
        },
        distance: last - at,
        place: (0, at + 1),
    };
    words.into_iter().enumerate().map(atom).collect()
}

/// An atom of one word.
fn word(text: &str, tier: NounTier, place: (usize, usize)) -> NounAtom {
    NounAtom {
        words: vec![text.to_owned()],
        tier,
        distance: 0,
        place,
    }
}

/// Checks whether the words of a parameter tell nothing about what it selects: `{name}`.
fn is_vague(step: &Step) -> bool {
    let tags = [Tag::Key, Tag::Anything, Tag::Adjective];
    let vague = |word: &String| tags.iter().any(|tag| is(word, *tag)) || word == "parent";
    step.words.iter().all(vague)
}

/// Checks whether a noun may be in the plural: it is no adjective.
pub(crate) fn has_plural(word: &str) -> bool {
    !is_adjective(word) && !is(word, Tag::Preposition) && !is_plural(word)
}

/// Checks whether the word describes a thing: `archived`, `supported`, but not `feed`.
pub(crate) fn is_adjective(word: &str) -> bool {
    const SHORT: usize = 5;
    let looks = word.len() >= SHORT && word.ends_with("ed") && !word.ends_with("eed");
    let participle = matches!(verb_form(word), Some((_, Form::Gerund | Form::Past)));
    is(word, Tag::Adjective) || participle || looks
}

//! The rules of the noun: each gives atoms, which [`fit`](super::fit) puts together.

use toolwright_model::Kind;

use super::{
    adjectives::{describes, is_adjective},
    context::Context,
    rule::RuleSubject,
    told::{has, same},
};
use crate::language::{
    clause::{Clause, VerbAt, VerbPlace, is_version, relation},
    is_plural,
    reading::{Step, StepSource},
    singular,
    vocabulary::{Tag, is, is_past, verb, verb_form},
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
    /// The rank: the atoms of the last tiers are left out first.
    pub(crate) tier: NounTier,
    /// True for a parent of which a parameter selects an item.
    pub(crate) chosen: bool,
    /// The text that has its words.
    pub(crate) told: Told,
    /// False for a parent that the base name leaves out.
    pub(crate) needed: bool,
    /// The distance from the thing.
    pub(crate) distance: usize,
    /// The position in the noun: the step, and the position within it.
    pub(crate) place: (usize, usize),
}

/// The text that has the words of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Told {
    /// The summary.
    Yes,
    /// There is no summary, and the operation id has them, or there is none either.
    Alone,
    /// None.
    No,
}

/// The tier of an atom. Atoms of the last tier are left out first, and of one tier the furthest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NounTier {
    /// The last word of the thing itself.
    Thing,
    /// The other words of the thing.
    OfThing,
    /// The key that selects the thing.
    By,
    /// The nearest parent of which a parameter selects an item, or the one before the thing if there is none.
    Near,
    /// The parents between that one and the thing.
    Between,
    /// The other parents of which a parameter selects an item.
    Chosen,
    /// The other parents.
    Other,
    /// Words with little meaning, such as `information`.
    Hollow,
}

/// The rank of a word of a noun. In a noun that is too long, the words of the last ranks are left out first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WordRank {
    /// The tier.
    pub(crate) tier: NounTier,
    /// The distance from the thing.
    pub(crate) distance: usize,
    /// The step.
    pub(crate) place: usize,
    /// The text that has its words.
    pub(crate) told: Told,
}

impl Default for WordRank {
    fn default() -> Self {
        Self {
            tier: NounTier::OfThing,
            distance: 0,
            place: END,
            told: Told::Yes,
        }
    }
}

impl NounAtom {
    /// Returns the rank of its words.
    pub(crate) fn rank(&self) -> WordRank {
        WordRank {
            tier: self.tier,
            distance: self.distance,
            place: self.place.0,
            told: self.told,
        }
    }
}

/// More words are a description.
const MOST_SOUGHT: usize = 3;

/// The position after all steps.
pub(crate) const END: usize = usize::MAX;

impl RuleSubject<'_> {
    /// Returns the words of the thing and its position.
    pub(super) fn thing(&self) -> Option<(usize, &[String])> {
        let steps = &self.choice.steps;
        if !self.choice.object.is_empty() {
            return Some((steps.len(), &self.choice.object));
        }
        if self.is_of_user() {
            return None;
        }
        let at = steps.len().checked_sub(1)?;
        // `/{name}`
        let named = |step: &Step| step.source != StepSource::Parameter || !is_vague(step);
        let told = || !self.context.reading.id.is_empty() || !self.told_noun().is_empty();
        if !steps.iter().any(named) && told() || self.is_told() {
            return None;
        }
        steps.get(at).map(|step| (at, step.words.as_slice()))
    }

    /// Checks whether a user logs in, logs out or registers, and the path only has where: `auth`.
    fn is_of_user(&self) -> bool {
        let steps = &self.choice.steps;
        let enters = match self.choice.verb {
            "login" | "logout" => true,
            "register" => !steps.is_empty(),
            _ => false,
        };
        let door = |step: &Step| !step.is_item() && step.words.iter().all(|word| is_door(word));
        enters && self.choice.object.is_empty() && steps.iter().all(door)
    }

    /// Checks whether the path has parameters alone, and the operation id has the thing after its verb:
    /// `deleteNode` of `/{path}/{name}`.
    fn is_told(&self) -> bool {
        let steps = &self.choice.steps;
        let leads = |at: VerbAt| at.sure && at.place == VerbPlace::Head;
        let told = |clause: &Clause| {
            let thing = !clause.object.is_empty() && clause.tail.is_empty();
            clause.verb.is_some_and(leads) && thing
        };
        let parameters = steps
            .iter()
            .all(|step| step.source == StepSource::Parameter);
        parameters && self.context.reading.id_clause().is_some_and(told)
    }

    /// Returns the words of a clause that may be a thing.
    fn own_words(&self, clause: &Clause) -> Vec<String> {
        let own = |word: &&String| {
            let says = verb(word).is_none_or(|verb| verb.tool != Some(self.choice.verb));
            let service = *word == self.context.service.as_str();
            says && !service && !is(word, Tag::Many) && !is(word, Tag::Itself) && !is_version(word)
        };
        let ends =
            |word: &&String| !is_past(word) && !word.starts_with(|c: char| c.is_ascii_digit());
        let words = clause.topic.iter().chain(&clause.object);
        words.take_while(ends).filter(own).cloned().collect()
    }

    /// Returns the thing as the operation id or the summary names it.
    fn told_noun(&self) -> Vec<String> {
        let reading = self.context.reading;
        let gets = self.context.kind <= Kind::Derive;
        let summary = reading.summary_clause();
        let summary = summary.filter(|clause| gets || !clause.answers);
        let clauses = reading.id.iter().take(1).chain(summary);
        let mut nouns = clauses.map(|clause| self.own_words(clause));
        let noun = nouns.find(|noun| !noun.is_empty());
        // `updateCall`
        let only = || reading.id_clause().map(|clause| clause.object.clone());
        noun.or_else(only).unwrap_or_default()
    }

    /// Returns the parents that the operation id names: `projects` of `projects.dashboards.delete`.
    fn told_parents(&self) -> Vec<Vec<String>> {
        let parents = self.context.reading.id.iter().skip(1);
        let parents = parents.map(|clause| self.own_words(clause));
        let one = |mut parent: Vec<String>| {
            if let Some(last) = parent.last_mut().filter(|_| self.is_one()) {
                *last = singular(last);
            }
            parent
        };
        parents.filter(|words| !words.is_empty()).map(one).collect()
    }

    /// Returns what the summary looks for: `items` of `Search for items`.
    fn sought(&self) -> Vec<String> {
        let tail = self.context.reading.summary_clause().map(|it| &it.tail);
        let leads = |word: &&String| matches!(word.as_str(), "for" | "from" | "of" | "to");
        let words = tail.into_iter().flatten().skip_while(|word| !leads(word));
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
    pub(super) fn parents(&self) -> &[Step] {
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
    let end = relation(words).unwrap_or(words.len());
    let (words, by) = words.split_at_checked(end).unwrap_or_default();
    let mut atoms: Vec<NounAtom> = of_thing(words, place).collect();
    // `copy_to`, `id_for/{name}`
    let open = matches!(by, [only] if matches!(only.as_str(), "for" | "to"));
    // `applies-to`, `migratable-to`
    let bound =
        |last: &String| is_adjective(last) || verb_form(last).is_some() || last.ends_with("able");
    let state = words.last().is_some_and(bound);
    let relates = !by.is_empty() && (state || !open);
    atoms.extend(relates.then(|| NounAtom {
        words: by.to_vec(),
        tier: NounTier::By,
        chosen: false,
        told: Told::Yes,
        needed: true,
        distance: 0,
        place: (place, end + 1),
    }));
    atoms
}

/// The parents in the singular, but for words that are one thing: `settings`. Of more than two words,
/// the first may be left out by themselves.
pub(crate) fn parents(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    const WHOLE: usize = 3;
    let nearest = subject.nearest();
    let parents = subject.parents();
    let is_hollow = |step: &Step| step.words.iter().all(|word| is(word, Tag::Hollow));
    let last = parents.iter().rposition(|step| !is_hollow(step));
    let thing = subject.thing().map_or(&[][..], |(_, words)| words);
    let mut atoms = Vec::new();
    for (at, step) in parents.iter().enumerate() {
        let parameter = step.source == StepSource::Parameter;
        let within =
            step.words.len() < thing.len() && step.words.iter().all(|word| has(thing, word));
        if parameter && is_vague(step) || within && !step.is_item() {
            continue;
        }
        let hollow = is_hollow(step);
        let tier = match nearest {
            Some(nearest) if at == nearest => NounTier::Near,
            _ if step.is_item() => NounTier::Chosen,
            _ if hollow => NounTier::Hollow,
            // `webhooks` of `webhooks/entity-information/fields`
            None if Some(at) == last => NounTier::Near,
            Some(nearest) if at > nearest => NounTier::Between,
            _ => NounTier::Other,
        };
        let told = told(subject.context, step);
        let mut words = step.words.clone();
        // `settings`, `ins`
        let kept = |last: &str| is(last, Tag::Single) || is(&singular(last), Tag::Preposition);
        let one = |last: &&mut String| step.is_item() || !kept(last);
        if let Some(last) = words.last_mut().filter(one).filter(|_| !parameter) {
            *last = singular(last);
        }
        let end = words.split_off(words.len().saturating_sub(WHOLE));
        let (first, end) = match end.split_first() {
            Some((first, rest)) if words.is_empty() && rest.len() > 1 && describes(first) => {
                (vec![first.clone()], rest.to_vec())
            }
            _ => (Vec::new(), end),
        };
        words.extend(first);
        let count = words.len();
        let atom = |words, place| NounAtom {
            words,
            tier,
            chosen: step.is_item(),
            told,
            needed: true,
            distance: (parents.len() - at) * FAR + count + 1 - place,
            place: (at, place),
        };
        let first = words.into_iter().enumerate();
        atoms.extend(first.map(|(word, text)| atom(vec![text], word + 1)));
        atoms.push(atom(end, count + 1));
    }
    atoms
}

/// More words than a step has.
const FAR: usize = 100;

/// Returns the text that has the words of a step.
fn told(context: &Context<'_>, step: &Step) -> Told {
    let in_text = |text: &[String]| step.words.iter().all(|word| has(text, word));
    match context.text.is_empty() {
        true if context.id.is_empty() || in_text(&context.id) => Told::Alone,
        false if in_text(&context.text) => Told::Yes,
        _ => Told::No,
    }
}

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
    // it goes before the caller does
    let current = first.then(|| NounAtom {
        distance: usize::MAX,
        ..word("current", NounTier::Other, (0, 0))
    });
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

/// The thing of the operation id or the summary, if the path has none.
pub(crate) fn of_id(subject: &RuleSubject<'_>) -> Vec<NounAtom> {
    if subject.thing().is_some() {
        return Vec::new();
    }
    if subject.is_of_user() {
        return vec![word("user", NounTier::Thing, (0, 1))];
    }
    let mut noun = subject.told_noun();
    let mut parents = subject.told_parents();
    // `reconciliationReports.get`: the thing is the last of them
    if let Some(last) = parents.pop_if(|last| noun.is_empty() || same(&noun, last)) {
        noun = last;
    }
    if noun.is_empty() {
        noun = subject.sought();
    }
    if noun.is_empty() {
        let root = subject.context.reading.facts.path == "/";
        let word = match (root, is(subject.choice.verb, Tag::OfMany)) {
            (true, _) => "root",
            (_, true) => "results",
            _ => "service",
        };
        noun.push(word.to_owned());
    }
    let count = parents.len();
    let parents = parents.into_iter().enumerate();
    let parents = parents.map(|(at, words)| NounAtom {
        words,
        tier: NounTier::Chosen,
        chosen: false,
        told: Told::Yes,
        needed: true,
        distance: count - at,
        place: (at, 0),
    });
    parents.chain(of_thing(&noun, count)).collect()
}

/// Checks whether a word names no more than where users log in: `auth`.
fn is_door(word: &str) -> bool {
    matches!(
        word,
        "auth" | "authentication" | "authorization" | "security"
    )
}

/// Returns the words of a thing as atoms.
fn of_thing(words: &[String], place: usize) -> impl Iterator<Item = NounAtom> {
    let last = words.len().saturating_sub(1);
    let hollow = matches!(words, [_, last] if is(last, Tag::Hollow));
    words.iter().enumerate().map(move |(at, word)| NounAtom {
        words: vec![word.clone()],
        tier: match last - at {
            0 => NounTier::Thing,
            // `entity-information`, `additional-details`
            _ if hollow && (is(word, Tag::Anything) || is_adjective(word)) => NounTier::Hollow,
            _ => NounTier::OfThing,
        },
        chosen: false,
        told: Told::Yes,
        needed: true,
        distance: last - at,
        place: (place, at + 1),
    })
}

/// An atom of one word.
fn word(text: &str, tier: NounTier, place: (usize, usize)) -> NounAtom {
    NounAtom {
        words: vec![text.to_owned()],
        tier,
        chosen: false,
        told: Told::Yes,
        needed: true,
        distance: 0,
        place,
    }
}

/// Checks whether the words of a parameter tell nothing about what it selects: `{name}`.
fn is_vague(step: &Step) -> bool {
    let tags = [Tag::Key, Tag::Anything, Tag::Adjective];
    let vague = |word: &String| tags.iter().any(|tag| is(word, *tag));
    step.words.iter().all(vague)
}

/// Checks whether a noun may be in the plural: it is no adjective.
pub(crate) fn has_plural(word: &str) -> bool {
    // `mining`, but not `booking`
    let mass = word.ends_with("ing") && !is(word, Tag::Noun);
    // `multiple`, `bulk`
    let many = (is(word, Tag::Determiner) || is(word, Tag::Many)) && !is(word, Tag::Noun);
    word.len() > 1
        && !mass
        && !many
        && !is_adjective(word)
        && !is(word, Tag::Preposition)
        && !is_plural(word)
}

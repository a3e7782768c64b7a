//! The reading of an operation: its path, its operation id and its descriptions, each read once.

pub(crate) mod parameter;
pub(crate) mod path;
pub(crate) mod segment;

use toolwright_model::{Kind, Method};

use super::{
    clause::{Clause, VerbAt, VerbPlace},
    facts::OperationFacts,
    prose::{beginning, sentences},
    vocabulary::{Tag, Verb, is, verb},
    words,
};
pub(crate) use path::{PathReading, Step, StepSource};

/// The number of sentences of a text that may describe the action.
const SENTENCES: usize = 3;

/// The reading of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Reading<'a> {
    /// The facts that it was read from.
    pub(crate) facts: &'a OperationFacts,
    /// The path.
    pub(crate) path: PathReading,
    /// The operation id without the path and the method, or an empty string.
    pub(crate) id_text: &'a str,
    /// The parts of the operation id, the one with the action first. None, if the operation id only
    /// repeats the method and the path.
    pub(crate) id: Vec<Clause>,
    /// The first sentences of the summary and of the description.
    pub(crate) summary: Vec<Clause>,
}

impl<'a> Reading<'a> {
    /// Reads the facts of an operation.
    pub(crate) fn new(facts: &'a OperationFacts) -> Self {
        let path = PathReading::parse(&facts.path);
        let clauses = |text: &str| -> Vec<Clause> {
            let plain = beginning(without_note(text), SENTENCES);
            let first = sentences(&plain).take(SENTENCES).enumerate();
            first
                .map(|(at, text)| Clause::of_sentence(text, at))
                .collect()
        };
        let id_text = own_id(facts);
        Self {
            id: id_clauses(id_text, facts, &path),
            id_text,
            path,
            summary: facts.texts().flat_map(clauses).collect(),
            facts,
        }
    }

    /// Returns the clause of the operation id that has the action, or the only one.
    pub(crate) fn id_clause(&self) -> Option<&Clause> {
        self.id.first()
    }

    /// Returns the first sentence of the summary, or of the description if there is no summary.
    pub(crate) fn summary_clause(&self) -> Option<&Clause> {
        self.summary.first()
    }

    /// Returns the clauses that describe the action: of the operation id, and of the summary.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = &Clause> {
        self.id_clause().into_iter().chain(self.summary_clause())
    }

    /// Returns the first sentence of the description, if neither the operation id nor the summary has
    /// a verb.
    pub(crate) fn described(&self) -> Option<&Clause> {
        let told = |clause: &Clause| clause.verb.is_some() || clause.answers;
        let mut firsts = self.summary.iter().filter(|clause| clause.sentence == 0);
        firsts.nth(1).filter(|_| !self.clauses().any(told))
    }
}

/// Returns a text without a note in brackets before it: `[Deprecated] Get a list`.
fn without_note(text: &str) -> &str {
    let note = text.trim_start().strip_prefix('[');
    let rest = note.and_then(|note| note.split_once("] "));
    rest.map_or(text, |(_, rest)| rest)
}

/// Returns the operation id without the path and the method that some frameworks add to the name of a
/// function: `wait_run` of `wait_run_runs_wait_post`.
fn own_id(facts: &OperationFacts) -> &str {
    let id = facts.operation_id.as_deref().unwrap_or_default();
    let path = facts
        .path
        .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let method = facts.method.word().to_ascii_lowercase();
    let name = id.strip_suffix(&format!("{path}_{method}"));
    name.filter(|name| !name.is_empty()).unwrap_or(id)
}

/// Reads the parts of an operation id.
fn id_clauses(id: &str, facts: &OperationFacts, path: &PathReading) -> Vec<Clause> {
    if id.contains('{') || repeats_path(id, facts) {
        return Vec::new();
    }
    let mut parts: Vec<Vec<String>> = split_id(id).map(words).collect();
    for part in &mut parts {
        drop_method(part, facts.method, path);
        drop_framework(part, facts.method, path);
    }
    parts.retain(|part| !part.is_empty());
    // `Runs_ForRoute`
    let mut joined: Vec<Vec<String>> = Vec::new();
    for part in parts {
        let several = part.len() > 1;
        let relates = several
            && part
                .first()
                .is_some_and(|first| first != "on" && is(first, Tag::Preposition));
        match joined.last_mut().filter(|_| relates) {
            Some(before) => before.extend(part),
            None => joined.push(part),
        }
    }
    let parts = joined;
    let clause = |mut part: Vec<String>| {
        let topic = topic(&part, path);
        let rest = part.split_off(topic);
        let mut clause = Clause::of_name(rest, id);
        clause.topic.splice(0..0, part);
        clause
    };
    let mut clauses: Vec<Clause> = parts.into_iter().map(clause).collect();
    let sure = |clause: &Clause| clause.verb.is_some_and(|at| at.sure);
    // `CREATE_PaymentAutoAllocate`
    let whole = |at: VerbAt| at.place == VerbPlace::Whole && is(at.verb.base, Tag::Basic);
    let method = facts.method.word().to_ascii_lowercase();
    // `GET_DescribeAlarms` has the word of the method
    let basic = |clause: &Clause| {
        let at = clause.verb.filter(|at| at.sure && at.verb.base != method);
        at.is_some_and(whole)
    };
    let main = clauses.iter().rposition(basic);
    let main = main.or_else(|| clauses.iter().rposition(sure));
    let main = main.or_else(|| clauses.iter().rposition(|clause| clause.verb.is_some()));
    if let Some(main) = main.or_else(|| clauses.len().checked_sub(1)) {
        let main = clauses.remove(main);
        clauses.insert(0, main);
    }
    clauses
}

/// Counts the words at the start of an operation id that repeat a step of the path, if a verb follows:
/// `push_notifications` of `push_notifications_destroy`.
fn topic(words: &[String], path: &PathReading) -> usize {
    let repeats = |step: &Step| {
        let rest = words.strip_prefix(step.words.as_slice())?;
        let verb = verb(rest.first()?)?;
        (step.words.len() > 1 || verb.is_plain()).then_some(step.words.len())
    };
    let steps = path.steps.iter().filter_map(repeats).max();
    steps.unwrap_or_default().max(whole_path(words, path))
}

/// Counts the words at the start of an operation id that are all those of the path of an item, if a basic
/// verb ends it: `stages_user_login` of `stages_user_login_update`.
fn whole_path(words: &[String], path: &PathReading) -> usize {
    if !path.steps.last().is_some_and(Step::is_item) {
        return 0;
    }
    let literal = |step: &&Step| step.source == StepSource::Literal;
    let steps = path.steps.iter().filter(literal);
    let own: Vec<&String> = steps.flat_map(|step| &step.words).collect();
    let count = own.len();
    let repeats = count > 1 && words.iter().take(count).eq(own);
    match words.get(count..) {
        Some([only]) if repeats && is(only, Tag::Basic) && verb(only).is_some() => count,
        _ => 0,
    }
}

/// Splits an operation id into its parts: `VirtualMachines` and `ListSizes`. Without capitals, `_` and
/// `-` are spaces.
fn split_id(id: &str) -> impl Iterator<Item = &str> {
    let capitals = id.bytes().any(|b| b.is_ascii_uppercase());
    id.split(move |c: char| matches!(c, '.' | '/' | ':' | '#') || capitals && c == '_')
}

/// Removes the word of the method, which tools that make operation ids put first or last:
/// `GET_DescribeAlarms`, `listItemsUsingGET`.
fn drop_method(words: &mut Vec<String>, http: Method, path: &PathReading) {
    let method = http.word().to_ascii_lowercase();
    if words.len() > 1
        && words.last() == Some(&method)
        && verb(&method).is_none_or(|verb| !verb.reads() || words.len() > 2)
    {
        words.pop();
        if words.last().is_some_and(|last| last == "using") {
            words.pop();
        }
    }
    let other = words.get(1).and_then(|second| verb(second));
    // `deleteSyncList` deletes
    let undoes = |verb: &Verb| verb.kind == Kind::Delete || is(verb.base, Tag::Undo);
    let agrees = |verb: &Verb| match http {
        Method::Delete => undoes(verb),
        _ => !http.is_safe() || verb.reads(),
    };
    // `putPushDevice` of `/push/devices/{id}`
    let parents = path
        .steps
        .split_last()
        .map_or(&[][..], |(_, before)| before);
    let named = |verb: &Verb| parents.iter().any(|step| step.words == [verb.base]);
    let repeats = other.is_some_and(|verb| verb.is_plain() && agrees(&verb) && !named(&verb));
    if words.len() > 1 && words.first() == Some(&method) && repeats {
        words.remove(0);
    }
}

/// Removes the words that a framework gives to the method, after those of a call that the path ends in:
/// `orders_generate_report_create` of `POST /orders/{id}/generate_report`. Elsewhere `partial` is removed, so that
/// both updates of an item have one name: `orders_partial_update`.
fn drop_framework(own: &mut Vec<String>, http: Method, path: &PathReading) {
    let ending: &[&str] = match http {
        Method::Post => &["create"],
        Method::Put => &["update"],
        Method::Patch => &["partial", "update"],
        _ => return,
    };
    let end = own.len().saturating_sub(ending.len());
    let (rest, end_words) = own.split_at_checked(end).unwrap_or_default();
    if end_words != ending {
        return;
    }
    let Some((last, before)) = path.steps.split_last() else {
        return;
    };
    // `push_notifications`
    let thing = !before.last().is_some_and(Step::is_item) && last.is_many();
    let verb = Clause::of_name(last.words.clone(), "").verb;
    let called = verb.is_some_and(|at| at.sure && at.place != VerbPlace::Tail);
    if called && !thing && !last.is_item() && rest.ends_with(&last.words) {
        own.truncate(end);
    } else if let ["partial", ..] = ending {
        own.remove(end);
    }
}

/// Checks whether an operation id consists of the method and the words of the path, so it adds
/// nothing: `getUsersId` of `GET /users/{id}`.
fn repeats_path(id: &str, facts: &OperationFacts) -> bool {
    let method = facts.method.word().to_ascii_lowercase();
    let flat = |text: &str| words(text).concat();
    let id = flat(id);
    let literal: Vec<&str> = facts
        .path
        .split('/')
        .filter(|step| !step.contains('{'))
        .collect();
    [flat(&facts.path), flat(&literal.join("/"))]
        .iter()
        .any(|path| {
            // `items_delete` names the items, as `items_destroy` does
            let last = || id.strip_suffix(&method).filter(|_| method != "delete");
            let rest = id.strip_prefix(&method).or_else(last);
            !path.is_empty() && rest == Some(path.as_str())
        })
        && (facts.path_parameters.len() + literal.len() > 2 || method != "get")
}

#[cfg(test)]
mod tests;

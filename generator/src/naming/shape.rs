//! Rules that change the steps of a path before a verb is chosen.

use toolwright_model::{Kind, Method};

use super::{
    adjectives::{complete_adjective, is_adjective},
    context::Context,
    noun::has_plural,
    verb::is_spelt_out,
};
use crate::language::{
    clause::{Clause, VerbAt, VerbPlace},
    is_plural, plural,
    reading::{Step, StepSource},
    singular,
    vocabulary::{Tag, any, is, is_past, verb},
};

/// Removes the service's own word at the start, and a step before the thing that is only that word.
pub(crate) fn drop_service(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let own = context.service.as_str();
    let count = steps.len();
    // `products/count`
    let is_call = |step: &Step| Clause::of_name(step.words.clone(), "").verb.is_some();
    let called = steps.last().is_some_and(is_call);
    let mut at = 0;
    steps.retain(|step| {
        at += 1;
        let literal = step.source == StepSource::Literal && step.keys.is_empty();
        let object = at == count || called && at + 1 == count;
        at == 1 || object || !literal || step.words.concat() != own
    });
    drop_leading(own, steps) || steps.len() < count
}

/// Checks whether words are the service's own, in singular or plural.
fn is_own(words: &[String], own: &str) -> bool {
    let words = words.concat();
    words == own || singular(&words) == singular(own)
}

/// Checks whether a step may stand alone, without the service's own word before it in the plural.
fn is_thing(step: &Step) -> bool {
    let first = step.words.first().map_or("", String::as_str);
    let names = !is_adjective(first) || step.words.len() > 1;
    verb(first).is_none() && names && step.source == StepSource::Literal
}

/// Removes the service's own word at the start.
fn drop_leading(own: &str, steps: &mut Vec<Step>) -> bool {
    let alone = steps.len() == 1;
    let free = steps.get(1).is_some_and(is_thing);
    // `facilities/all`
    let empty = |only: &String| is(only, Tag::Many) || only == "all";
    let described = match steps.as_slice() {
        [_, last] => matches!(last.words.as_slice(), [only] if empty(only)),
        _ => false,
    };
    let Some(first) = steps
        .first_mut()
        .filter(|step| step.source == StepSource::Literal)
    else {
        return false;
    };
    let begins = |end: &usize| {
        let Some((words, rest)) = first.words.split_at_checked(*end) else {
            return false;
        };
        let named = rest.first().is_some_and(|next| verb(next).is_none());
        words.concat() == own || (free || named) && is_own(words, own)
    };
    let Some(end) = (1..=first.words.len()).find(begins) else {
        return false;
    };
    let whole = end == first.words.len();
    if whole && (alone || described || first.is_item() && !free) {
        return false;
    }
    first.words.drain(..end);
    if whole {
        steps.remove(0);
    }
    true
}

/// Adds the words after a full stop or a colon that are no call.
pub(crate) fn take_call(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let call = &context.reading.path.call;
    let takes = !call.is_empty() && !is_spelt_out(call);
    if takes {
        steps.push(Step::from_words(call.clone()));
    }
    takes
}

/// `users/me`, `me`: the current user.
pub(crate) fn name_me(_: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let is_me = |step: &Step| {
        step.source == StepSource::Literal
            && matches!(step.words.as_slice(), [only] if is(only, Tag::Myself))
    };
    let alone = |at: &usize| *at == 1 || steps.first().is_some_and(|step| step.last() != "current");
    let Some(at) = steps
        .iter()
        .position(is_me)
        .filter(|at| *at < 2 && alone(at))
    else {
        return false;
    };
    let before = at.checked_sub(1).and_then(|before| steps.get(before));
    let whose = before.filter(|before| !before.is_item());
    let one = whose.map_or_else(|| "user".to_owned(), |many| singular(many.last()));
    let own = usize::from(whose.is_some());
    if let Some(me) = steps.get_mut(at) {
        me.words = vec!["current".to_owned(), one];
        me.keys.insert(0, "id".to_owned());
    }
    steps.drain(at - own..at);
    // `me/self`
    let again =
        |step: &Step| !step.is_item() && matches!(step.words.as_slice(), [only] if only == "self");
    steps.retain(|step| !again(step));
    true
}

/// `users/by-email/{email}`: words with a preposition follow the thing before them.
pub(crate) fn join_prepositions(_: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let leads = |step: &Step| {
        step.source == StepSource::Literal
            && step
                .words
                .first()
                .is_some_and(|first| is(first, Tag::Preposition))
    };
    let mut joined = false;
    while let Some(at) = steps.iter().position(leads) {
        let mut step = steps.remove(at);
        joined = true;
        match at.checked_sub(1).and_then(|before| steps.get_mut(before)) {
            Some(before) => {
                before.words.append(&mut step.words);
                before.keys.append(&mut step.keys);
                // `image/to/words`
                let last = before.words.last();
                let ends = last.is_some_and(|last| is(last, Tag::Preposition)) && !before.is_item();
                if let Some(next) = steps.get(at).cloned().filter(|_| ends) {
                    steps.remove(at);
                    let before = steps.get_mut(at - 1);
                    before.into_iter().for_each(|before| {
                        before.words.extend(next.words.clone());
                        before.keys.extend(next.keys.clone());
                    });
                }
            }
            None => {
                step.words.remove(0);
                if !step.words.is_empty() {
                    steps.insert(0, step);
                }
            }
        }
    }
    joined
}

/// `tasks/failed`, `stats/devices`: puts what describes a thing before it.
pub(crate) fn turn(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    complete_adjective(context, steps)
        || turn_adjectives(context, steps)
        || turn_within(context, steps)
        || turn_states(context, steps)
}

/// `steps-completed` with `Completed steps`: puts an adjective at the end of a step before its noun, if
/// a text does, or if the noun is a plural that is read.
fn turn_within(context: &Context<'_>, steps: &mut [Step]) -> bool {
    let reads = context.reading.facts.method.is_safe();
    let Some(last) = steps.last_mut() else {
        return false;
    };
    let [.., noun, adjective] = last.words.as_slice() else {
        return false;
    };
    let asks =
        |first: &String| verb(first).is_some() || matches!(first.as_str(), "are" | "has" | "is");
    let asks = last.words.first().is_some_and(asks);
    // `user-defined`, `peak-recording`
    let follows = !is_plural(noun) && is_told_directly(context, noun, adjective);
    let joined = adjective.ends_with("ing") || follows;
    let describes = is_adjective(adjective) && !is(adjective, Tag::Many) && !joined;
    let thing = !is_adjective(noun) && verb(noun).is_none_or(|verb| !verb.is_plain());
    let many = reads && is_plural(noun) && !is(noun, Tag::Single);
    let relates = any(&last.words, Tag::Preposition);
    if last.source != StepSource::Literal || !describes || !thing || asks || relates {
        return false;
    }
    let things = last.words.len() - 1;
    let words = last.words.iter().take(things);
    let told = words.enumerate().find_map(|(at, word)| {
        let follows = is_told_directly(context, adjective, word);
        follows.then_some(at)
    });
    let Some(at) = told.or(many.then_some(0)) else {
        return false;
    };
    if let Some(described) = last.words.get_mut(at..) {
        described.rotate_right(1);
    }
    true
}

/// Checks whether the operation id or the summary has a word directly before another.
fn is_told_directly(context: &Context<'_>, word: &str, next: &str) -> bool {
    let pair = |pair: &[String]| match pair {
        [first, second] => first == word && singular(second) == singular(next),
        _ => false,
    };
    let mut texts = [&context.id, &context.text].into_iter();
    texts.any(|text| text.windows(2).any(pair))
}

/// `stats/devices`: device stats.
fn turn_states(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let [.., state, thing] = steps.as_slice() else {
        return false;
    };
    let literal = |step: &Step| step.source == StepSource::Literal;
    let [word] = state.words.as_slice() else {
        return false;
    };
    let is_state = is(word, Tag::State) && verb(word).is_none_or(|verb| verb.tool.is_none());
    let part = is(word, Tag::Settable) && (thing.is_item() || thing.is_many());
    let named = Clause::of_name(thing.words.clone(), "").verb.is_none()
        && !any(&thing.words, Tag::Preposition)
        && !any(&thing.words, Tag::State);
    let reads = context.reading.facts.method == Method::Get;
    let free = literal(state) && literal(thing) && state.keys.is_empty();
    let turns = reads && free && is_state && named && !part;
    if !turns {
        return false;
    }
    let last = steps.len() - 1;
    steps.swap(last - 1, last);
    true
}

/// Removes a step without a meaning of its own: `orders/all`, `actions/publish`, `query/count`.
pub(crate) fn drop_empty(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let [.., before, last] = steps.as_slice() else {
        return false;
    };
    let plain = |step: &Step| step.source == StepSource::Literal && step.keys.is_empty();
    let (Some(word), true) = (last.words.first(), last.source == StepSource::Literal) else {
        return false;
    };
    let whole = last.words.len() == 1 && last.keys.is_empty();
    // `project/all_files`
    if word == "all"
        && !whole
        && last.words.len() > 1
        && context.reading.facts.method == Method::Get
    {
        if let Some(thing) = steps.last_mut() {
            thing.words.remove(0);
        }
        return true;
    }
    // `POST /items/new`
    if word == "new" && whole && context.reading.facts.method == Method::Post {
        steps.pop();
        return true;
    }
    let things = plain(before) && !is(before.last(), Tag::OfMany);
    if word == "all" && whole && context.reading.facts.method == Method::Get && things {
        steps.pop();
        if let Some(thing) = steps.last_mut().and_then(|step| step.words.last_mut()) {
            *thing = plural(thing);
        }
        return true;
    }
    let call = Clause::of_name(last.words.clone(), "").verb;
    let leads = |at: &VerbAt| at.place != VerbPlace::Inner;
    let empty = |only: &String| match word.as_str() {
        "count" if whole => is(only, Tag::OfMany),
        _ => call.filter(leads).is_some() && singular(only) == "action",
    };
    let empty = matches!(before.words.as_slice(), [only] if empty(only));
    let drops = empty && plain(before) && steps.len() > 2;
    if drops {
        steps.remove(steps.len() - 2);
    }
    drops
}

/// `tasks/failed`: failed tasks.
fn turn_adjectives(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let lists = |clause: &Clause| clause.tool_verb() == Some("list");
    let lists = context.reading.clauses().any(lists);
    let posts = context.reading.facts.method == Method::Post && context.kind > Kind::Derive;
    let count = steps.len();
    let turns = |(at, pair): (usize, &[Step])| {
        let [thing, adjective] = pair else {
            return false;
        };
        let inner = at + pair.len() < count;
        let current = thing.words.first().is_some_and(|first| first == "current");
        let free = (thing.keys.is_empty() || current) && thing.source != StepSource::Parameter;
        // `get-pricing/outbound`
        let called = match thing.words.as_slice() {
            [first, _, ..] => verb(first),
            _ => None,
        };
        let free = free && !called.is_some_and(|verb| verb.is_plain());
        let literal = adjective.source == StepSource::Literal;
        let adjective_of = |word: &String| is_adjective(word) && !is(word, Tag::Many);
        // `sessions/playing/stopped`
        let plain = |word: &str| is(word, Tag::Adjective) || !word.ends_with("ing");
        let describes = |word: &String| {
            let made = context.kind == Kind::Create && word != "new";
            is_past(word) || adjective_of(word) && (!posts || made || inner && plain(word))
        };
        let describes = matches!(adjective.words.as_slice(), [only] if describes(only));
        let many = thing.is_many()
            || is(thing.last(), Tag::Single)
            || lists && is_past(adjective.last())
            || is(adjective.last(), Tag::Adjective)
            || is_told_before(context, adjective.last(), thing.last());
        free && literal && describes && many
    };
    let Some(at) = steps.windows(2).enumerate().position(turns) else {
        return false;
    };
    let mut adjective = steps.remove(at + 1);
    if let Some(thing) = steps.get_mut(at) {
        thing.words.splice(0..0, adjective.words);
        thing.keys.append(&mut adjective.keys);
    }
    true
}

/// Checks whether the operation id or the summary has a word before a thing: `scoped access token`.
fn is_told_before(context: &Context<'_>, word: &str, thing: &str) -> bool {
    let told = |words: &[String]| {
        let at = words.iter().position(|own| own == word);
        let after = at.and_then(|at| words.get(at + 1..)).unwrap_or_default();
        let mut near = after.iter().take(2);
        near.any(|own| singular(own) == singular(thing))
    };
    told(&context.id) || told(&context.text)
}

/// Puts two words in the order of the operation id or the summary: `addresses/billing` with
/// `deleteBillingAddress`, `report/polls` with `Poll report`.
pub(crate) fn turn_as_told(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let words = |clause: &Clause| [clause.topic.as_slice(), &clause.object].concat();
    let told: Vec<Vec<String>> = context.reading.clauses().map(words).collect();
    // `Search for editorial images`
    let tails = context.reading.clauses().map(|clause| clause.tail.clone());
    let whole: Vec<Vec<String>> = told.iter().cloned().chain(tails).collect();
    let found = steps.windows(2).enumerate().find_map(|(at, pair)| {
        let words = match pair {
            [thing, kinds] if kinds.is_many() && at + 2 == steps.len() => {
                ends_as_told(context.reading.summary_clause()?, thing, kinds)
            }
            [many, kind] if looks_adjective(kind.last()) => turned(&whole, many, kind),
            [many, kind] if !kind.is_many() => turned(&told, many, kind),
            _ => None,
        };
        Some((at, words?))
    });
    let Some((at, words)) = found else {
        return false;
    };
    let mut kind = steps.remove(at + 1);
    if let Some(step) = steps.get_mut(at) {
        step.words = words;
        step.keys.append(&mut kind.keys);
    }
    true
}

/// Checks whether a step may describe the one before it.
fn may_turn(before: &Step, step: &Step) -> bool {
    let literal = |step: &Step| step.source == StepSource::Literal;
    let thing =
        |word: &String| verb(word).is_none() && !is(word, Tag::State) && !is(word, Tag::Many);
    literal(before) && literal(step) && !before.is_item() && step.words.iter().all(thing)
}

/// Returns the words of a step and of the one before it, if a text has them in this order.
fn turned(told: &[Vec<String>], many: &Step, kind: &Step) -> Option<Vec<String>> {
    let whole = [kind.words.as_slice(), &many.words].concat();
    // `business/international`
    let describes = matches!(kind.words.as_slice(), [only] if looks_adjective(only));
    let same = |run: &[String]| {
        let mut pairs = run.iter().zip(&whole);
        pairs.all(|(a, b)| singular(a) == singular(b))
            && (many.is_many() || describes || run.last().is_some_and(|last| is_plural(last)))
    };
    let mut told = told.iter();
    let found = told.any(|words| words.windows(whole.len()).any(same));
    (found && may_turn(many, kind)).then_some(whole)
}

/// Checks whether an unknown word has the ending of an adjective: `international`.
pub(super) fn looks_adjective(word: &str) -> bool {
    const ENDINGS: [&str; 6] = ["able", "al", "ible", "ic", "ive", "ous"];
    let ends = |ending: &&str| word.ends_with(ending) && word.len() > ending.len() + 3;
    !is(word, Tag::Noun) && verb(word).is_none() && ENDINGS.iter().any(ends)
}

/// Returns the words of a plural in the singular and of the step before it, if the object of the summary
/// ends with them.
fn ends_as_told(summary: &Clause, thing: &Step, kinds: &Step) -> Option<Vec<String>> {
    let mut kind = kinds.words.clone();
    let last = kind.last_mut()?;
    *last = singular(last);
    let describes = is_adjective(last) || is_adjective(thing.last());
    let whole = [kind, thing.words.clone()].concat();
    let one: Vec<String> = summary.object.iter().map(|word| singular(word)).collect();
    let turns = !describes && !thing.is_many() && may_turn(thing, kinds);
    (turns && one.ends_with(&whole)).then_some(whole)
}

/// Removes a step that only means many at once: `items/bulk`. One that is read is the last: `items/multiple`.
pub(crate) fn drop_bulk(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let facts = context.reading.facts;
    if !context.reading.path.call.is_empty() {
        return false;
    }
    if facts.method.is_safe() {
        return drop_many(steps);
    }
    let count = steps.len();
    let mut at = 0;
    steps.retain(|step| {
        at += 1;
        at == 1 || !is_bulk(step)
    });
    steps.len() < count
}

/// Removes a last step that only means many at once, and makes the step before it a plural.
fn drop_many(steps: &mut Vec<Step>) -> bool {
    let [.., before, last] = steps.as_slice() else {
        return false;
    };
    let batch = is(last.last(), Tag::Noun);
    if !is_bulk(last) || batch || before.is_item() || before.source != StepSource::Literal {
        return false;
    }
    steps.pop();
    let thing = steps.last_mut().and_then(|step| step.words.last_mut());
    if let Some(thing) = thing.filter(|thing| has_plural(thing)) {
        *thing = plural(thing);
    }
    true
}

/// Checks whether a step only means many at once.
pub(crate) fn is_bulk(step: &Step) -> bool {
    let many = |word: &String| is(word, Tag::Many) && word != "all";
    step.keys.is_empty() && step.source == StepSource::Literal && step.words.iter().all(many)
}

//! Verbs of the operation id and of the summary.

use toolwright_model::{Kind, Method, promise_of};

use super::{VerbChoice, by_shape, call::is_named, deed::without_deed};
use crate::{
    language::{
        Form,
        clause::{Clause, VerbAt, VerbPlace},
        reading::{Step, StepSource},
        singular,
        vocabulary::{Certainty, Tag, is, verb_form},
        words,
    },
    naming::{
        abbreviations::is_same,
        adjectives::is_adjective,
        context::Context,
        told::{has, same},
    },
};

/// Verbs that mean no more than the method.
const fn generic(method: Method) -> &'static [&'static str] {
    match method {
        Method::Put => &["replace", "update", "put"],
        Method::Patch => &["create", "update", "replace"],
        Method::Delete => &["delete", "destroy"],
        Method::Post => &["create"],
        _ => &["get", "list", "find", "describe"],
    }
}

/// The operation id or the summary has a verb that tells more than the method.
pub(crate) fn text(context: &Context<'_>, steps: &[Step]) -> Option<VerbChoice> {
    let method = context.reading.facts.method;
    let more = |clause: &&Clause| {
        clause
            .tool_verb()
            .is_some_and(|verb| !is(verb, Tag::Basic) && verb != "update")
    };
    let described = context.reading.described().filter(more);
    let described = described.filter(|_| matches!(method, Method::Get | Method::Post));
    let clauses = context.reading.clauses().chain(described);
    let prose = |clause: &Clause| clause.quote != context.reading.id_text;
    let found = clauses.filter_map(|clause| {
        let posts = method == Method::Post && context.kind > Kind::Derive;
        let leads = |at: &VerbAt| posts && prose(clause) && at.form == Form::Base;
        let sure = |at: &VerbAt| {
            let twice = context.agrees(*at) && context.is_twice(*at);
            at.sure
                || twice
                || leads(at) && is_of(clause, steps)
                || prose(clause) && acts(context, clause, *at)
        };
        let at = clause.verb.filter(sure)?;
        let verb = at.verb.tool?;
        // `Create a pay instruction`
        let basic = |clause: &&Clause| clause.tool_verb().is_some_and(|verb| is(verb, Tag::Basic));
        let summary = context.reading.summary_clause().filter(basic);
        let named = summary.is_some_and(|summary| is_named(summary, at));
        let told = prose(clause) && at.sure && method.is_safe() && !clause.is_about(Tag::State);
        let noun = named || !at.verb.is_plain() && !told && context.says_more_than(at);
        // `Conversions_Put` repeats the method
        let of_method = matches!(at.verb.base, "patch" | "put");
        let deletes = verb == "remove" && is_whole(context, clause);
        let repeats = of_method || deletes || generic(method).contains(&verb);
        (!noun && !repeats && tells(context, steps, clause, at)).then_some((clause, verb))
    });
    let found: Vec<(&Clause, &'static str)> = found.collect();
    let telling = found.iter().find(|(_, verb)| !is(verb, Tag::Basic));
    let (clause, verb) = *telling.or_else(|| found.first())?;
    if matches!(verb, "get" | "list" | "find" | "query") {
        return Some(by_shape(context, steps.to_vec())).filter(|_| method == Method::Post);
    }
    let (mut steps, mut object) = without_deed(verb, steps, clause)?;
    if object.is_empty() && is(verb, Tag::Moves) && steps.last().is_some_and(Step::is_item) {
        object = moved(&steps, clause);
    }
    if object.is_empty() && is(verb, Tag::Moves) {
        object = moved_to(&steps, clause);
    }
    if object.is_empty() {
        drop_untold(context, &mut steps, clause);
        extend(&mut steps, clause);
    }
    if object.is_empty() && verb == "mark" {
        let choice = VerbChoice::new(context, verb, steps, clause);
        return Some(with_mark(context, choice));
    }
    Some(VerbChoice::new(context, verb, steps, clause).with_object(object))
}

/// Adds what a thing is marked as: `Mark a thread as read`.
fn with_mark(context: &Context<'_>, mut choice: VerbChoice) -> VerbChoice {
    let base = |word: &str| {
        verb_form(word).map_or_else(|| word.to_owned(), |(verb, _)| verb.base.to_owned())
    };
    let mut clauses = context.reading.clauses();
    let found = clauses.find_map(|clause| match clause.tail.as_slice() {
        [by, mark, rest @ ..] if by == "as" => Some((mark, rest.first())),
        _ => None,
    });
    let thing = choice
        .steps
        .last_mut()
        .filter(|step| step.source == StepSource::Literal);
    if let Some((thing, (mark, next))) = thing.zip(found) {
        let ends = next.is_none_or(|next| is(next, Tag::Preposition));
        let known = thing.words.iter().any(|word| base(word) == base(mark));
        if ends && !known {
            thing.words.extend(["as".to_owned(), mark.clone()]);
        }
    }
    choice
}

/// Removes a last step that no text mentions, if the verb is done to one before it: `Cancel a plan` of
/// `/plans/{id}/status`.
fn drop_untold(context: &Context<'_>, steps: &mut Vec<Step>, clause: &Clause) {
    let Some((last, before)) = steps.split_last() else {
        return;
    };
    let head = clause.head_noun().map(singular);
    let named = |step: &Step| {
        head.as_ref()
            .is_some_and(|head| *head == singular(step.last()))
    };
    // `watch` of `Stop watching`, `setup` of `Set up`
    let form = |word: &str, told: &String| verb_form(told).is_some_and(|(of, _)| of.base == word);
    let told = |word: &String| {
        let mut texts = [&context.id, &context.text].into_iter();
        texts.any(|text| {
            text.iter().any(|told| form(word, told)) || text.concat().contains(&singular(word))
        })
    };
    let free = last.source == StepSource::Literal && !last.is_item();
    if free && before.iter().any(named) && !last.words.iter().any(told) {
        steps.pop();
    }
}

/// Checks whether a summary begins with a verb that is no word of the path and has an object, so that
/// it is no noun here: `Duplicate a design`, `Converts temporary avatars`.
fn acts(context: &Context<'_>, clause: &Clause, at: VerbAt) -> bool {
    // `Report generation`
    const DEEDS: [&str; 3] = ["ion", "ment", "ing"];
    let path = words(&context.reading.facts.path);
    let noun = path.iter().any(|word| singular(word) == at.verb.base);
    let safe = context.reading.facts.method.is_safe();
    let acts = match safe {
        true => at.verb.base == "download",
        false => context.kind > Kind::Derive,
    };
    let form = match at.verb.certainty {
        Certainty::Vague => matches!(at.form, Form::Base | Form::ThirdPerson),
        _ => at.form == Form::Base,
    };
    let deed = |head: &str| DEEDS.iter().any(|ending| head.ends_with(ending));
    let described = is(at.verb.base, Tag::Adjective)
        || clause.is_about(Tag::State)
        || clause.is_about(Tag::Hollow)
        || clause.head_noun().is_some_and(deed);
    acts && form && !noun && !clause.object.is_empty() && !described
}

/// Checks whether a clause removes a thing from nothing else: `Remove a page` of `/pages/{id}`.
fn is_whole(context: &Context<'_>, clause: &Clause) -> bool {
    let steps = &context.reading.path.steps;
    matches!(steps.as_slice(), [only] if only.is_item())
        && is_of(clause, steps)
        && clause.tail.is_empty()
}

/// Checks whether the object of a clause is the thing of the path: `Trigger alert` of `/alerts`.
fn is_of(clause: &Clause, steps: &[Step]) -> bool {
    let thing = steps.last().map_or(&[][..], |step| &step.words);
    same(&clause.object, thing)
}

/// Adds the last word of the object to a thing that stands before it in the object: `Generate
/// distribution links` of `/distributions`.
fn extend(steps: &mut [Step], clause: &Clause) {
    let [.., of, head] = clause.object.as_slice() else {
        return;
    };
    let same = |step: &&mut Step| {
        let last = step
            .words
            .last()
            .is_some_and(|last| singular(of) == singular(last));
        last && !step.is_item()
    };
    let last = steps.last_mut().filter(same);
    if let Some(last) = last.filter(|_| !is(head, Tag::Hollow) && !is(head, Tag::Caller)) {
        // `Send a quote email` of `/email-quote`
        if has(&last.words, head) {
            let turns = last.words.len() == 2 && !last.is_many() && !is_adjective(head);
            last.words.rotate_left(usize::from(turns));
            return;
        }
        if let Some(word) = last.words.last_mut() {
            *word = singular(word);
        }
        last.words.push(head.clone());
    }
}

/// Checks whether the verb of a clause may be that of the operation.
fn tells(context: &Context<'_>, steps: &[Step], clause: &Clause, at: VerbAt) -> bool {
    let method = context.reading.facts.method;
    let joined = clause
        .others
        .iter()
        .any(|other| other.sure && other.verb.tool != at.verb.tool);
    // `Submit a request for a report`
    let is_thing = |head: &str| {
        let read = context.reading.path.steps.iter().chain(steps);
        let mut names = read.map(|step| singular(step.last()));
        let whole = singular(&clause.object.concat());
        names.any(|name| name == singular(head) || name == whole)
    };
    let itself = |head: &str| is(head, Tag::Itself) && !is_thing(head);
    let itself = clause.head_noun().is_some_and(itself);
    let named = !method.is_safe()
        || at.verb.reads()
        || at.sure && clause.quote == context.reading.id_text && !context.reads();
    let undone = method != Method::Delete || undoes(at) || at.sure && context.is_twice(at);
    let computes = at.verb.kind == Kind::Derive && context.kind == Kind::Action;
    // `download` promises nothing
    let free = at.sure && at.verb.tool.is_some_and(|verb| promise_of(verb).is_none());
    let free = free
        && context.kind == Kind::Action
        && !is(at.verb.base, Tag::Basic)
        && at.verb.base != context.service.as_str();
    let agrees = at.verb.reads() == (context.kind <= Kind::Derive) || computes || free;
    agrees && !joined && !itself && named && undone
}

/// Returns what is added to an item or removed from it, if the path does not name it.
fn moved(steps: &[Step], clause: &Clause) -> Vec<String> {
    let keys = steps.iter().flat_map(|step| &step.keys);
    let keys: Vec<String> = keys.flat_map(|key| words(key)).collect();
    let known = |word: &String| {
        keys.contains(word)
            || steps
                .iter()
                .flat_map(|step| &step.words)
                .any(|own| is_same(&singular(own), &singular(word)))
    };
    match clause.object.as_slice() {
        object if object.len() > LONG || object.iter().any(known) => Vec::new(),
        object => object.to_vec(),
    }
}

/// Returns what is added to the thing of a path or removed from it: `Add items to the watchlist` of
/// `/watchlist`.
fn moved_to(steps: &[Step], clause: &Clause) -> Vec<String> {
    let one = |step: &&Step| !step.is_item() && !step.is_many();
    if steps
        .last()
        .filter(one)
        .is_some_and(|step| is_target(step, clause))
    {
        moved(steps, clause)
    } else {
        Vec::new()
    }
}

/// Checks whether something is moved to the thing of a step, or from it.
fn is_target(step: &Step, clause: &Clause) -> bool {
    let mut tail = clause.tail.iter();
    let leads = tail
        .next()
        .is_some_and(|word| matches!(word.as_str(), "to" | "into" | "from"));
    let one = singular(step.last());
    leads && tail.any(|word| singular(word) == one)
}

/// Returns what a call of the path moves to an item or from it: `Send images to a box` of
/// `/boxes/{id}/send`.
pub(super) fn moved_by_call(context: &Context<'_>, verb: &str, steps: &[Step]) -> Vec<String> {
    let clause = context.reading.summary_clause();
    let clause = clause.filter(|clause| clause.has_verb(verb));
    let step = steps.last().filter(|step| step.is_item());
    match (clause, step) {
        (Some(clause), Some(step)) if is(verb, Tag::Moves) && is_target(step, clause) => {
            moved(steps, clause)
        }
        _ => Vec::new(),
    }
}

/// An object of more words is a description.
const LONG: usize = 3;

/// Checks whether a verb is what DELETE may mean.
fn undoes(at: VerbAt) -> bool {
    at.verb.kind == Kind::Delete || is(at.verb.base, Tag::Undo)
}

/// Checks whether a clause creates or updates: `create_or_update`.
pub(super) fn creates_or_updates(clause: &Clause) -> bool {
    const BOTH: [&str; 4] = ["add", "create", "replace", "update"];
    let first = clause.tool_verb().filter(|verb| BOTH.contains(verb));
    let joined = clause
        .others
        .iter()
        .filter(|at| at.place == VerbPlace::Head);
    let mut others = joined
        .filter_map(|at| at.verb.tool)
        .filter(|other| BOTH.contains(other));
    first.is_some_and(|first| others.any(|other| other != first))
}

/// The operation id or the summary creates or updates.
pub(crate) fn upsert(context: &Context<'_>, steps: &[Step]) -> Option<VerbChoice> {
    let method = context.reading.facts.method;
    if !matches!(method, Method::Post | Method::Put) || context.kind <= Kind::Derive {
        return None;
    }
    let mut clauses = context.reading.clauses();
    let clause = clauses.find(|clause| creates_or_updates(clause))?;
    Some(VerbChoice {
        verb: "upsert",
        ..VerbChoice::new(context, "create", steps.to_vec(), clause)
    })
}

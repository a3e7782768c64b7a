//! The verb of a name: from a call in the path, from the operation id or the summary, or from the
//! method.

mod call;
mod deed;
mod number;
mod text;

use toolwright_model::{Kind, Method};

use super::{adjectives::is_adjective, context::Context, noun::Number};
use crate::language::{
    clause::{Clause, VerbAt, VerbPlace},
    reading::{Step, StepSource},
    singular,
    vocabulary::{Tag, Verb, is, verb as verb_of, verb_form},
};
pub(crate) use call::{agent, is_spelt_out, last_step, leading_step, spelt_out};
use number::{
    gets_one, is_named_one, is_of_others, is_one_by_schema, is_told_many, is_told_whole, lists,
    number,
};
pub(crate) use text::{text, upsert};

/// A verb, and the resource that it is done to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VerbChoice {
    /// The verb.
    pub(crate) verb: &'static str,
    /// The steps of the path without the verb.
    pub(crate) steps: Vec<Step>,
    /// The object of the call, after the steps.
    pub(crate) object: Vec<String>,
    /// The number of the last word.
    pub(crate) number: Number,
    /// True if it is done to all things.
    pub(crate) all: bool,
}

impl VerbChoice {
    /// Chooses a verb for steps, with the number that the texts give the last one.
    fn new(context: &Context<'_>, verb: &'static str, steps: Vec<Step>, clause: &Clause) -> Self {
        Self {
            number: number(context, verb, &steps, clause),
            verb,
            steps,
            object: Vec::new(),
            all: false,
        }
    }

    /// Gives the call an object after the steps.
    fn with_object(mut self, object: Vec<String>) -> Self {
        let last = self.steps.last().map_or("", Step::last);
        let whole = |words: &[String]| singular(&words.concat());
        let own = self.steps.last().map_or(&[][..], |step| &step.words);
        let repeats = matches!(object.as_slice(), [only] if singular(only) == singular(last))
            || whole(&object) == whole(own);
        if !object.is_empty() && !repeats {
            self.number = Number::AsWritten;
            self.object = object;
        }
        self
    }
}

/// The form of a path's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerbForm {
    /// Many things are listed.
    Many,
    /// A parameter selects one item.
    Item,
    /// Something is set: `settings`.
    Settings,
    /// One thing, without a parameter that selects it.
    Single,
    /// Anything.
    Any,
}

/// What an operation does, as far as the verb of its method depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// It reads, and the text gets or answers.
    Gets,
    /// It reads.
    Reads,
    /// It creates, and the texts say nothing else.
    Creates,
    /// It replaces, as a text says.
    Replaces,
    /// It enables or disables, or does another two of which one undoes the other.
    Switches,
    /// It acts, although the text gets something.
    Asks,
    /// It acts without a body, and the texts do not create.
    Runs,
    /// It acts, and the texts do not create.
    Acts,
    /// Anything.
    Any,
}

/// The verb of a method.
pub(crate) struct VerbRow {
    /// The method; none for all others.
    pub(crate) method: Option<Method>,
    /// The form of the path.
    pub(crate) form: VerbForm,
    /// What the operation does.
    pub(crate) does: Does,
    /// The verb.
    pub(crate) verb: &'static str,
}

const fn row(method: Method, form: VerbForm, does: Does, verb: &'static str) -> VerbRow {
    VerbRow {
        method: Some(method),
        form,
        does,
        verb,
    }
}

/// The verbs of the methods. The first row that fits decides.
pub(crate) const METHODS: &[VerbRow] = &[
    row(Method::Get, VerbForm::Many, Does::Any, "list"),
    row(Method::Get, VerbForm::Any, Does::Any, "get"),
    row(Method::Post, VerbForm::Many, Does::Gets, "list"),
    row(Method::Post, VerbForm::Any, Does::Gets, "get"),
    row(Method::Post, VerbForm::Any, Does::Reads, "query"),
    row(Method::Post, VerbForm::Any, Does::Creates, "create"),
    row(Method::Post, VerbForm::Any, Does::Switches, "set"),
    row(Method::Post, VerbForm::Any, Does::Asks, "request"),
    row(Method::Post, VerbForm::Item, Does::Any, "update"),
    row(Method::Post, VerbForm::Settings, Does::Any, "update"),
    row(Method::Post, VerbForm::Single, Does::Runs, "run"),
    row(Method::Post, VerbForm::Single, Does::Acts, "submit"),
    row(Method::Post, VerbForm::Any, Does::Any, "create"),
    row(Method::Put, VerbForm::Any, Does::Creates, "create"),
    row(Method::Put, VerbForm::Any, Does::Replaces, "replace"),
    row(Method::Put, VerbForm::Any, Does::Asks, "request"),
    row(Method::Put, VerbForm::Any, Does::Any, "update"),
    row(Method::Patch, VerbForm::Any, Does::Any, "update"),
    row(Method::Delete, VerbForm::Any, Does::Any, "delete"),
    row(Method::Head, VerbForm::Any, Does::Any, "check"),
    row(Method::Options, VerbForm::Any, Does::Any, "describe"),
    row(Method::Query, VerbForm::Any, Does::Any, "search"),
    row(Method::Propfind, VerbForm::Many, Does::Any, "list"),
    row(Method::Propfind, VerbForm::Any, Does::Any, "get"),
    row(Method::Report, VerbForm::Any, Does::Any, "get"),
    VerbRow {
        method: None,
        form: VerbForm::Any,
        does: Does::Any,
        verb: "call",
    },
];

/// The method and the form of the path.
pub(crate) fn method(context: &Context<'_>, steps: &[Step]) -> Option<VerbChoice> {
    let method = context.reading.facts.method;
    let fits = |row: &&VerbRow| {
        row.method.is_none_or(|own| own == method)
            && has_form(context, steps, row.form)
            && does(context, row.does)
    };
    let verb = METHODS.iter().find(fits)?.verb;
    let word = method.word().to_lowercase();
    let own = crate::language::vocabulary::tool_verb(&word);
    let verb = own.filter(|_| verb == "call").unwrap_or(verb);
    let asked =
        context.kind <= Kind::Derive && (steps.last().is_some_and(asks) || is_asked(context));
    if asked || matches!(verb, "get" | "list") {
        return Some(by_shape(context, steps.to_vec()));
    }
    let options = match method {
        Method::Options => vec!["http".to_owned(), "options".to_owned()],
        _ => Vec::new(),
    };
    let none = Clause::default();
    let mut clauses = context.reading.clauses();
    let clause = clauses.find(|clause| clause.verb.is_some());
    let mut choice = VerbChoice::new(context, verb, steps.to_vec(), clause.unwrap_or(&none));
    if verb == "query" {
        choice.number = Number::AsWritten;
    }
    Some(choice.with_object(options))
}

/// Checks whether the end of a path has a form.
fn has_form(context: &Context<'_>, steps: &[Step], form: VerbForm) -> bool {
    let last = |is: &dyn Fn(&Step) -> bool| steps.last().is_some_and(is);
    match form {
        VerbForm::Many => lists(context, steps),
        // `text-to-speech/{voice_id}`
        VerbForm::Item => last(&|step| step.is_item() && (step.is_many() || !is_of_others(step))),
        VerbForm::Settings => last(&|step| is(step.last(), Tag::Settable)),
        VerbForm::Single => last(&|step| !step.is_many() && !step.is_item()),
        VerbForm::Any => true,
    }
}

/// Checks whether an operation does this.
fn does(context: &Context<'_>, does: Does) -> bool {
    let verbs = || {
        let clauses = context.reading.clauses();
        clauses.filter(|clause| clause.verb.is_some())
    };
    let creates = |clause: &Clause| clause.has_verb("create");
    // `postDiscount` repeats the method
    let posts = |clause: &Clause| {
        let post = clause.verb.is_some_and(|at| at.verb.base == "post");
        post && !clause.object.is_empty()
    };
    let only = |clause: &Clause| creates(clause) && clause.others.is_empty();
    let gets = |at: VerbAt| at.sure && at.verb.reads() && is(at.verb.base, Tag::Basic);
    let gets = |clause: &Clause| clause.verb.is_some_and(gets);
    let facts = context.reading.facts;
    let told = || context.reading.clauses().next().is_some();
    let acts = || {
        let made = |clause: &Clause| creates(clause) || posts(clause);
        context.kind == Kind::Action && told() && !verbs().any(made)
    };
    match does {
        Does::Gets => context.kind <= Kind::Derive && context.reads(),
        Does::Reads => context.kind <= Kind::Derive,
        Does::Creates => {
            let posts = facts.method == Method::Post && context.kind == Kind::Create;
            posts || verbs().next().is_some() && verbs().all(only)
        }
        Does::Replaces => verbs().any(|clause| clause.has_verb("replace")),
        Does::Switches => verbs().any(switches),
        Does::Asks if context.kind == Kind::Action => verbs().any(gets),
        Does::Asks => {
            let only = |clause: &Clause| gets(clause) && clause.others.is_empty();
            verbs().next().is_some() && verbs().all(only)
        }
        Does::Runs => acts() && facts.body.is_none(),
        Does::Acts => acts(),
        Does::Any => true,
    }
}

/// Removes steps that are only a basic verb, and such verbs at the start of steps that get:
/// `street/find` of `geocode`, `getHistory`.
pub(crate) fn drop_basic(context: &Context<'_>, choice: &mut VerbChoice) -> bool {
    let sure = |verb: &Verb| verb.is_plain() || verb.base == "show";
    let basic = |word: &str| verb_of(word).filter(|verb| sure(verb) && is(word, Tag::Basic));
    let gets = |word: &str| {
        let found = basic(word).filter(Verb::is_plain);
        found.is_some_and(|verb| matches!(verb.tool, Some("find" | "get")))
    };
    let free = |step: &Step| step.source == StepSource::Literal && !step.is_item();
    let only = |step: &Step| {
        let called = |only: &str| basic(only).is_some() && only != "list";
        free(step) && matches!(step.words.as_slice(), [only] if called(only))
    };
    let count = choice.steps.len();
    let others = choice.steps.iter().filter(|step| !only(step)).count();
    if others > 0 && choice.object.is_empty() {
        choice.steps.retain(|step| !only(step));
    }
    // `plugins/pull` of `install`
    let untold = |step: &Step| {
        let word = step.last();
        let verb = verb_of(word).is_some_and(|verb| verb.tool.is_some() && !verb.reads());
        let form = |told: &String| verb_form(told).is_some_and(|(verb, _)| verb.base == word);
        let told = context.text.is_empty() || context.text.iter().any(form);
        let acts = !is(choice.verb, Tag::Basic) && !context.reading.facts.method.is_safe();
        free(step) && step.words.len() == 1 && verb && !told && acts
    };
    if choice.steps.len() > 1 && choice.object.is_empty() && choice.steps.last().is_some_and(untold)
    {
        choice.steps.pop();
    }
    // `users/search/query`, `tweets/search/all`
    let many = is(choice.verb, Tag::OfMany) && context.reading.facts.method.is_safe();
    let told = |word: &str| {
        let mut heads = context.reading.clauses().filter_map(Clause::head_noun);
        heads.any(|head| singular(head) == word)
    };
    let empty = |step: &Step| match step.words.as_slice() {
        [only] => free(step) && matches!(only.as_str(), "all" | "query") && !told(only),
        _ => false,
    };
    let named = matches!(choice.steps.as_slice(), [.., thing, _] if !is_adjective(thing.last()));
    if many && named && choice.object.is_empty() {
        choice.steps.pop_if(|last| empty(last));
    }
    let mut changed = choice.steps.len() < count;
    if changed && choice.verb == "get" {
        choice.number = Number::One;
    }
    changed |= drop_repeated(context, choice);
    let tool = choice.verb;
    let last = choice.steps.len().saturating_sub(1);
    for (at, step) in choice.steps.iter_mut().enumerate() {
        // `validate-slug/organization`
        let own = |word: &str| {
            let verb = verb_of(word).filter(Verb::is_plain);
            at < last && free(step) && verb.is_some_and(|verb| verb.tool == Some(tool))
        };
        let first = step.words.first();
        if step.words.len() > 1 && first.is_some_and(|first| gets(first) || own(first)) {
            step.words.remove(0);
            changed = true;
        }
    }
    changed
}

/// Removes the verb of the name at the start of the thing, if no text names such a thing:
/// `process_table_annotation` of `process`.
fn drop_repeated(context: &Context<'_>, choice: &mut VerbChoice) -> bool {
    let tool = choice.verb;
    let words = match choice.steps.last_mut() {
        _ if !choice.object.is_empty() => &mut choice.object,
        Some(last) if last.source == StepSource::Literal && !last.is_item() => &mut last.words,
        _ => return false,
    };
    let told = |clause: &&Clause| clause.verb.is_some() || clause.answers;
    let clause = context.reading.summary_clause().filter(told);
    let clause = clause.or(context.reading.id_clause());
    let named = |word: &String| {
        let has = |clause: &Clause| clause.object.contains(word);
        clause.is_none_or(has)
    };
    let repeats = |word: &String| verb_of(word).is_some_and(|verb| verb.tool == Some(tool));
    let noun = |word: &String| is(word, Tag::Hollow) || is(word, Tag::State);
    let drops = match words.as_slice() {
        [first, second, ..] => {
            repeats(first) && !noun(first) && !named(first) && !is(second, Tag::Preposition)
        }
        _ => false,
    };
    if drops {
        words.remove(0);
    }
    drops
}

/// Checks whether one of two verbs undoes the other: `enable or disable`.
fn switches(clause: &Clause) -> bool {
    let undoes = |at: VerbAt| is(at.verb.base, Tag::Undo);
    let joined = clause
        .others
        .iter()
        .filter(|at| at.place == VerbPlace::Head);
    let mut joined = joined.filter(|at| at.verb.kind != Kind::Delete);
    let first = clause
        .verb
        .filter(|at| at.sure && at.verb.kind != Kind::Delete);
    first.is_some_and(|first| joined.any(|other| undoes(first) != undoes(*other)))
}

/// Checks whether a step is a question: `is-compressed`.
fn asks(step: &Step) -> bool {
    let begins = |first: &String| matches!(first.as_str(), "has" | "is");
    let literal = step.source == StepSource::Literal;
    literal && step.words.len() > 1 && step.words.first().is_some_and(begins)
}

/// Checks whether the operation id is a question: `isRateIssued`.
fn is_asked(context: &Context<'_>) -> bool {
    let begins = |first: &String| matches!(first.as_str(), "can" | "has" | "is");
    context.id.len() > 1 && context.id.first().is_some_and(begins)
}

/// Gets one thing or lists many, or checks what a step asks.
fn by_shape(context: &Context<'_>, steps: Vec<Step>) -> VerbChoice {
    let many = lists(context, &steps);
    let item = |step: &Step| step.is_item() && step.source != StepSource::Parameter;
    let named = |step: &Step| is_named_one(context, step);
    let several = |step: &Step| is_of_others(step) && is_told_many(context, step);
    let one = |step: &Step| {
        item(step) && !several(step)
            || named(step)
            || step.is_many() && is_one_by_schema(context, step)
    };
    // `Get notification settings`
    let whole = |step: &Step| is(step.last(), Tag::Single) && is_told_whole(context, step);
    let one = steps.last().is_some_and(|step| one(step) && !whole(step));
    let (verb, number) = match many {
        _ if steps.last().is_some_and(asks) || is_asked(context) => ("check", Number::AsWritten),
        true => ("list", Number::Many),
        false if one || steps.last().is_some_and(|step| gets_one(context, step)) => {
            ("get", Number::One)
        }
        false => ("get", Number::AsWritten),
    };
    VerbChoice {
        verb,
        steps,
        number,
        all: false,
        object: Vec::new(),
    }
}

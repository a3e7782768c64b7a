//! Decides if one thing or many are meant.

use toolwright_model::{Kind, Method};

use crate::{
    language::{
        clause::Clause,
        facts::AnswerShape,
        is_plural, plural,
        reading::{
            Step, StepSource,
            parameter::{bears_name, is_id, own_words},
        },
        singular,
        vocabulary::{Tag, any, is, verb},
        words,
    },
    naming::{
        context::Context,
        noun::{Number, has_plural},
        shape::is_bulk,
    },
};

/// Checks whether a parameter identifies something else than the items, so that it may select many:
/// `games/{date}`.
pub(super) fn is_of_others(step: &Step) -> bool {
    let other = |key: &String| !bears_name(&step.words, key) && !own_words(key).is_empty();
    step.source == StepSource::Literal
        && (step.keys.last().is_some_and(other) || is_of_anything(step))
}

/// Checks whether a parameter identifies any thing: `tags/{resourceArn}`.
fn is_of_anything(step: &Step) -> bool {
    let anything = |key: &String| {
        let words = words(key);
        let first = words.first().filter(|first| is(first, Tag::Anything));
        words.len() > 1 && first.is_some_and(|first| *first != singular(step.last()))
    };
    step.keys.last().is_some_and(anything)
}

/// Checks whether all texts with a verb have the plural of a step: `deleteDevices` of
/// `/devices/{systemKey}`.
pub(super) fn is_told_many(context: &Context<'_>, step: &Step) -> bool {
    let mut clauses = context
        .reading
        .clauses()
        .filter(|clause| clause.verb.is_some() || clause.answers)
        .peekable();
    clauses.peek().is_some() && clauses.all(|clause| is_plural_of(clause, step))
}

/// Checks whether a text is about the plural of a step, and none about its singular, with a verb or without
/// one: `Flight schedules` of `/schedules/{date}`.
fn is_told_plural(context: &Context<'_>, step: &Step) -> bool {
    // `attributes` are those of one thing
    const WHOLE: [Tag; 4] = [Tag::Single, Tag::State, Tag::Settable, Tag::Hollow];
    const PARTS: [&str; 3] = ["attribute", "content", "limit"];
    let one = singular(step.last());
    let many = plural(&one);
    let whole = WHOLE.iter().any(|tag| is(&one, *tag) || is(&many, *tag));
    if whole || PARTS.contains(&one.as_str()) || verb(&one).is_some_and(|verb| verb.is_plain()) {
        return false;
    }
    let mut heads = context.reading.clauses().filter_map(Clause::head_noun);
    let told = context.id.iter().chain(&context.text);
    let mut told = told.filter(|word| singular(word) == one);
    heads.any(|head| is_plural(head) && singular(head) == one) && told.all(|word| *word != one)
}

/// Checks whether the summary gets one of the things of a step: `Retrieve a report` of `/reports`.
fn is_told_one(context: &Context<'_>, step: &Step) -> bool {
    let one = |clause: &Clause| {
        let head = clause.head_noun().unwrap_or_default();
        let list = clause.object.iter().any(|word| word == "list");
        clause.indefinite && !list && head != step.last() && head == singular(step.last())
    };
    context.reading.summary_clause().is_some_and(one)
}

/// Checks whether a text has a word that is one thing in the plural, and none has its singular:
/// `Get notification settings`.
pub(super) fn is_told_whole(context: &Context<'_>, step: &Step) -> bool {
    let one = singular(step.last());
    let item = step.is_item() && names_one(context.reading.facts.schemas.answer.as_ref(), step);
    let mut heads = context.reading.clauses().filter_map(Clause::head_noun);
    let mut texts = context.id.iter().chain(&context.text);
    !item && heads.any(|head| head == step.last()) && !texts.any(|word| *word == one)
}

/// Checks whether the summary gets one thing of a step, in whatever words: `Get the report` of
/// `/reports`.
pub(super) fn gets_one(context: &Context<'_>, step: &Step) -> bool {
    let one = |clause: &Clause| {
        let head = clause.head_noun().unwrap_or_default();
        let gets = clause.answers || clause.has_verb("get");
        gets && !clause.lists && head != step.last() && head == singular(step.last())
    };
    !is(step.last(), Tag::Single) && context.reading.clauses().any(one)
}

/// Checks whether both the operation id and the summary get the one thing of a step: `Get the stock
/// report` and `getStockReport` of `/reports/stock`.
pub(super) fn is_named_one(context: &Context<'_>, step: &Step) -> bool {
    let one = |clause: &Clause| {
        let gets = clause.verb.is_some_and(|at| at.verb.tool == Some("get"));
        let head = clause.head_noun().unwrap_or_default();
        gets && !clause.lists && !is_plural(head) && head == singular(step.last())
    };
    let mut clauses = context.reading.clauses();
    context.reading.clauses().count() > 1 && clauses.all(one)
}

/// Checks whether the object of a clause is the plural of a step.
fn is_plural_of(clause: &Clause, step: &Step) -> bool {
    let same = |head: &str| is_plural(head) && head == plural(step.last());
    clause.head_noun().is_some_and(same)
}

/// Returns the number of what a verb is done to.
pub(super) fn number(context: &Context<'_>, verb: &str, steps: &[Step], clause: &Clause) -> Number {
    let Some(step) = steps.last() else {
        return Number::AsWritten;
    };
    // `PATCH /items` with `Bulk items`, but not `/bulk-items`
    let own = any(&step.words, Tag::Many);
    let told = |clause: &Clause| !own && clause.many && is_plural_of(clause, step);
    let bulk = context.reading.path.steps.iter().skip(1).any(is_bulk)
        || context.reading.clauses().any(told);
    // `replaceBatchV1CronJobStatus`
    // `Create a batch` of `/batches`
    let itself = is(&singular(step.last()), Tag::Many);
    let things = !step.is_item() && !is(step.last(), Tag::State) && !itself;
    if (clause.many || bulk) && !clause.all && things && !is_plainly_one(context, step) {
        return Number::Many;
    }
    if step.is_item() {
        return match step.source {
            StepSource::Parameter => Number::AsWritten,
            _ if is_of_others(step) && is_told_many(context, step) => Number::Many,
            // `Update the display preferences`
            _ if is(step.last(), Tag::Single) && is_told_whole(context, step) => Number::AsWritten,
            _ => Number::One,
        };
    }
    if is(verb, Tag::OfMany) {
        return Number::Many;
    }
    let posts = context.reading.facts.method == Method::Post && context.kind > Kind::Derive;
    if context.kind > Kind::Read && is_keyed(context, step) {
        return Number::One;
    }
    let told = told_number(context, step);
    match told {
        Some(false) => Number::One,
        Some(true) => Number::Many,
        None if posts
            && (context.kind == Kind::Create || ADDS.contains(&verb) || clause.indefinite) =>
        {
            Number::One
        }
        None if ADDS.contains(&verb) && takes_object(context, step) => Number::One,
        None if takes_one(context, step) || is_done_to_one(context) => Number::One,
        None => Number::AsWritten,
    }
}

/// Checks whether the summary has one of the things of a step, whatever other words mean many:
/// `createBatchJob` with `Create a job`.
fn is_plainly_one(context: &Context<'_>, step: &Step) -> bool {
    let one = |clause: &Clause| {
        let head = clause.head_noun().unwrap_or_default();
        let told = clause.verb.is_some() && clause.quote.contains(' ');
        told && !clause.many && !clause.lists && !is_plural(head) && head == singular(step.last())
    };
    let told = context.reading.facts.summary.is_some();
    told && context.reading.summary_clause().is_some_and(one)
}

/// Verbs that add one thing to a collection.
const ADDS: [&str; 5] = ["add", "create", "save", "submit", "upload"];

/// Checks whether the body is an object without a property for the things of a step.
fn takes_object(context: &Context<'_>, step: &Step) -> bool {
    let body = context.reading.facts.body.as_ref();
    let properties = body.map_or(&[][..], |body| &body.properties);
    let many = |name: &String| name.ends_with(step.last());
    step.is_many() && !properties.is_empty() && !properties.iter().any(many)
}

/// Checks whether the summary changes one thing, in whatever words: `Deletes an email rejection`.
fn is_done_to_one(context: &Context<'_>) -> bool {
    let one = |clause: &Clause| {
        let single = clause.head_noun().is_some_and(|head| !is_plural(head));
        clause.indefinite && single && !clause.lists && !clause.many
    };
    context.kind > Kind::Derive && context.reading.summary_clause().is_some_and(one)
}

/// Checks whether the texts or the schema of the body have many things of a step, or one.
fn told_number(context: &Context<'_>, step: &Step) -> Option<bool> {
    let facts = context.reading.facts;
    let posts = facts.method == Method::Post && context.kind > Kind::Derive;
    let told = |clause: &Clause| {
        let head = clause.head_noun()?;
        let one = singular(step.last());
        // `a sub-account` of `/subaccounts`
        let same = singular(head) == one || singular(&clause.object.concat()) == one;
        // `postItems` repeats the method
        let told = clause.verb.is_some_and(|at| !is_of_method(at.verb.base));
        (same && told).then(|| is_plural(head) || clause.lists)
    };
    let one = || posts && takes_one(context, step);
    let body = facts.body.as_ref().map_or(&[][..], |body| &body.properties);
    let object = posts && !body.is_empty() && !body.iter().any(|name| name.ends_with(step.last()));
    // an id often repeats the path, also one that is the summary, and an object is one thing
    let code = |clause: &&Clause| !object || !clause.head_noun().is_some_and(is_plural);
    let prose = |clause: &&Clause| clause.quote.contains(' ');
    let summary = context.reading.summary_clause();
    let codes = summary.into_iter().chain(context.reading.id_clause());
    let prose = summary.filter(prose).and_then(told);
    // `createCollection` with `Create catalog collections`
    let id = context.reading.id_clause().and_then(told);
    // `CREATE_Company` with the description `Create and manage companies`
    let described = facts.summary.is_none() && !step.is_many();
    let creates = described || object && context.kind == Kind::Create;
    let prose = prose.filter(|many| !(*many && creates && id == Some(false)));
    prose
        .or_else(|| one().then_some(false))
        .or_else(|| codes.filter(code).find_map(told))
}

/// Checks whether a verb is the word of a method.
fn is_of_method(verb: &str) -> bool {
    matches!(verb, "patch" | "post" | "put")
}

/// Checks whether the schema of the body has the name of one of the things of a step.
fn takes_one(context: &Context<'_>, step: &Step) -> bool {
    let facts = context.reading.facts;
    !facts.method.is_safe() && step.is_many() && names_one(facts.schemas.body.as_ref(), step)
}

/// Checks whether the summary gets the one thing of a step: `Get the configuration`.
fn is_gotten(context: &Context<'_>, step: &Step) -> bool {
    let one = |clause: &Clause| {
        clause.has_verb("get") && !clause.lists && clause.head_noun() == Some(step.last())
    };
    context.reading.summary_clause().is_some_and(one)
}

/// Checks whether a word has no plural: `history`.
fn is_mass(word: &str) -> bool {
    !is_plural(word) && plural(word) == word
}

/// Checks whether all texts name a step that sums many things up in the singular, and none lists:
/// `getSalesSummary`.
fn is_told_summary(context: &Context<'_>, step: &Step) -> bool {
    const SUMS: [&str; 5] = ["breakdown", "graph", "leaderboard", "overview", "summary"];
    let facts = context.reading.facts;
    let array = facts.success().map(|answer| answer.shape) == Some(AnswerShape::Array);
    let one = |clause: &Clause| {
        let word = |word: &String| word == step.last();
        !clause.lists && (clause.object.iter().any(word) || clause.topic.iter().any(word))
    };
    SUMS.contains(&step.last()) && !array && context.reading.clauses().all(one)
}

/// Checks whether a request lists things: by a plural in the path, an array in the answer, the words of
/// the operation id or the summary, or parameters for paging.
pub(super) fn lists(context: &Context<'_>, steps: &[Step]) -> bool {
    let facts = context.reading.facts;
    let shape = facts
        .success()
        .map_or(AnswerShape::Unknown, |answer| answer.shape);
    // `List the latest version` of `/version`
    let one = |clause: &Clause| {
        let thing = steps.last().filter(|step| !step.is_many()).map(Step::last);
        shape == AnswerShape::Object && thing.is_some() && clause.head_noun() == thing
    };
    let told = context.reading.clauses().any(|clause| {
        let lists = clause.verb.is_some_and(|at| at.verb.tool == Some("list"));
        lists && !one(clause) || clause.all || clause.lists
    });
    let Some(step) = steps.last() else {
        return told || shape == AnswerShape::Array;
    };
    let heads = context
        .reading
        .clauses()
        .any(|clause| is_plural_of(clause, step));
    let many = heads && !is(step.last(), Tag::Single);
    if let Some(at) = step
        .words
        .iter()
        .position(|word| is(word, Tag::Preposition))
        && step.is_item()
    {
        return told || lists_by(context, step, at);
    }
    if step.is_item() && step.keys.last().is_some_and(|key| is_plural(key)) && step.is_many() {
        return shape != AnswerShape::Object;
    }
    if step.is_item() {
        return lists_for_key(context, step, told, heads);
    }
    if is(step.last(), Tag::Single) {
        return told;
    }
    // `status`
    let state = is(step.last(), Tag::State) && shape == AnswerShape::Object;
    let whole = !facts.answers_list() || !told && is_mass(step.last());
    let gotten = whole && is_gotten(context, step) || is_told_summary(context, step);
    if !step.is_many() && (state || gotten) {
        return false;
    }
    let reads = context.kind <= Kind::Derive;
    let mut parameters = facts.query_parameters.iter();
    let mut pages = || parameters.any(|query| is_paging(&query.name));
    if shape != AnswerShape::Array && !told && !many && is_one_by_schema(context, step) {
        return false;
    }
    match shape {
        AnswerShape::Array => step.is_many() || !is_named_one(context, step),
        _ if is_named_one(context, step) => false,
        AnswerShape::Scalar => step.is_many() && many,
        AnswerShape::Object => {
            let only = context.reading.id.is_empty() && facts.summary.is_some();
            let agree = || only || context.reading.clauses().count() > 1;
            let plural = || agree() && is_told_many(context, step);
            told || plural() || step.is_many() && (many || reads && !gets_one(context, step))
        }
        AnswerShape::Unknown if is_told_one(context, step) => false,
        AnswerShape::ObjectWithList => {
            told || step.is_many() || many || pages() || answers_page(context, step)
        }
        AnswerShape::Unknown => told || step.is_many() || many,
    }
}

/// Checks whether a request lists the things that belong to what a key identifies: `/games/{date}`. `told`
/// and `heads` are true if a text lists, or has the plural of the step.
fn lists_for_key(context: &Context<'_>, step: &Step, told: bool, heads: bool) -> bool {
    let facts = context.reading.facts;
    let shape = facts.success().map(|answer| answer.shape);
    let array = shape == Some(AnswerShape::Array);
    let unknown = shape.is_none_or(|shape| shape == AnswerShape::Unknown);
    let many = is_told_many(context, step);
    let list = facts.answers_list() || unknown && many;
    // `List matching references` of `/matching-refs/{ref}`
    let all = told && heads && array;
    // `Get a specific block` of `/blocks/{email}`
    let array = array && !is_told_one(context, step);
    let related = shape != Some(AnswerShape::Object) && gets_related(context, step);
    // an identifier of another type may be that of an item
    let free = !step.keys.last().is_some_and(|key| is_id(key));
    let told_all =
        || free && !names_one(facts.schemas.answer.as_ref(), step) && is_told_plural(context, step);
    match is_of_anything(step) {
        true => array || many,
        false => {
            all || related || is_of_others(step) && (told || array || heads && list || told_all())
        }
    }
}

/// Checks whether the summary gets the things of another: `Returns the permissions for the issuer` of
/// `/permissions/{id}`.
fn gets_related(context: &Context<'_>, step: &Step) -> bool {
    let Some(clause) = context.reading.summary_clause() else {
        return false;
    };
    let gets = clause.answers || clause.has_verb("get");
    let relates = clause.tail.first();
    let relates = relates.is_some_and(|first| matches!(first.as_str(), "for" | "of"));
    let ends = |word: &&String| !is(word, Tag::Preposition) && !is(word, Tag::Aside);
    let mut others = clause.tail.iter().skip(1).take_while(ends);
    let other = !others.any(|word| {
        let one = singular(word);
        one == singular(step.last()) || matches!(one.as_str(), "criterion" | "parameter")
    });
    let one = |id: &Clause| {
        id.head_noun()
            .is_some_and(|head| head == singular(step.last()))
    };
    let named = context.reading.id_clause().is_some_and(one);
    step.source == StepSource::Literal
        && gets
        && relates
        && other
        && !named
        && step.is_many()
        && is_plural_of(clause, step)
}

/// Checks whether a request lists the things of a step by a label: `users/by-group/{group}`.
fn lists_by(context: &Context<'_>, step: &Step, at: usize) -> bool {
    let success = context.reading.facts.success();
    let array = success.is_some_and(|answer| answer.shape == AnswerShape::Array);
    let (thing, label) = step.words.split_at_checked(at).unwrap_or_default();
    let key = step.keys.last().map(|key| words(key)).unwrap_or_default();
    let keyed = |word: &String| key.iter().any(|key| singular(key) == singular(word));
    let labels = label.first().is_some_and(|by| by == "by") && label.iter().skip(1).all(keyed);
    let thing = Step::from_words(thing.to_vec());
    let mut keys = step.keys.iter().rev();
    let own = keys.next().is_some_and(|key| bears_name(&thing.words, key));
    // `products/after/{id}`
    let relates = label.first().is_some_and(|by| by != "by");
    let several = array && thing.is_many() && (relates || !own);
    let mut clauses = context.reading.clauses();
    several || labels && clauses.any(|clause| is_plural_of(clause, &thing))
}

/// Checks whether the answer is one of the things of a step: its schema has the name of one, or a query
/// parameter identifies it.
pub(super) fn is_one_by_schema(context: &Context<'_>, step: &Step) -> bool {
    answers_one(context, step) || is_keyed(context, step)
}

/// Checks whether the schema of the answer has the name of one of the things of a step, and is no list
/// of them.
fn answers_one(context: &Context<'_>, step: &Step) -> bool {
    let schemas = &context.reading.facts.schemas;
    let page = names_one(schemas.element.as_ref(), step);
    step.is_many() && names_one(schemas.answer.as_ref(), step) && !page
}

/// Checks whether the schema of the answer has the name of a list of the things of a step:
/// `HostListResponse` of `/host`.
fn answers_page(context: &Context<'_>, step: &Step) -> bool {
    const PAGES: [&str; 5] = ["collection", "list", "page", "paged", "paginated"];
    const WHOLE: [Tag; 4] = [Tag::State, Tag::Hollow, Tag::Settable, Tag::Derived];
    let schemas = &context.reading.facts.schemas;
    let named = |schema: &Option<String>, has: &dyn Fn(&str) -> bool| {
        let words = words(schema.as_deref().unwrap_or_default());
        words.iter().any(|word| has(word))
    };
    let counted = has_plural(step.last()) && WHOLE.iter().all(|tag| !is(step.last(), *tag));
    counted
        && named(&schemas.answer, &|word| PAGES.contains(&word))
        && named(&schemas.element, &|word| word == step.last())
}

/// Checks whether a schema has the name of one of the things of a step.
fn names_one(schema: Option<&String>, step: &Step) -> bool {
    const SUFFIXES: [&str; 6] = ["body", "dto", "input", "model", "payload", "request"];
    let suffix = |word: &str| is(word, Tag::Hollow) || SUFFIXES.contains(&word);
    let words = words(schema.map_or("", String::as_str));
    let mut words = words.iter().rev().skip_while(|word| suffix(word));
    words
        .next()
        .is_some_and(|last| *last == singular(step.last()))
}

/// Checks whether a query parameter that the request needs identifies one of the things of a step:
/// `jobs/cancel?jobId=`.
fn is_keyed(context: &Context<'_>, step: &Step) -> bool {
    let queries = &context.reading.facts.query_parameters;
    let keys = |name: &str| {
        let own = own_words(name);
        is_id(name)
            && own.len() < words(name).len()
            && own.last().is_some_and(|own| *own == singular(step.last()))
    };
    step.is_many()
        && queries
            .iter()
            .any(|query| query.required && keys(&query.name) && !is_plural(&query.name))
}

/// Checks whether a query parameter selects a page, in any spelling.
fn is_paging(name: &str) -> bool {
    is(&words(name).concat(), Tag::Paging)
}

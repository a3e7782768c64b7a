//! The questions: the operations whose name, texts or class a person or a model should look at.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use toolwright::{Category, Effect, ToolName, ToolSpec};
use toolwright_generator::{check::CheckedService, generate::TOOL_VERBS};
use toolwright_model::{Evidence, EvidenceSource, Method};

/// The version of the questions and the answers.
const VERSION: u8 = 1;

/// Words that a noun does not begin with.
const PREPOSITIONS: [&str; 12] = [
    "as", "at", "by", "for", "from", "in", "into", "of", "on", "to", "via", "with",
];

/// The most words of a noun that reads well.
const MAX_NOUN_WORDS: usize = 4;

/// The fewest words of a description that says enough.
const MIN_DESCRIPTION_WORDS: usize = 2;

/// An operation and the reasons for the question.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Question {
    /// The selector of the operation in overlays.
    pub(super) operation: String,
    method: Method,
    path: String,
    name: ToolName,
    /// True if the lock holds the name, so that it cannot be changed.
    pub(super) pinned: bool,
    title: String,
    description: String,
    category: Category,
    pub(super) effect: Effect,
    approval_required: bool,
    evidence: Vec<Evidence>,
    /// The names of the arguments.
    arguments: Vec<String>,
    /// `unpinned`, `uncertain` or `badly-worded`.
    why: Vec<&'static str>,
}

/// Returns the questions about the tools of a service.
pub(super) fn collect(service: &CheckedService) -> Vec<Question> {
    let operations: BTreeMap<_, _> = service.tools().collect();
    let specs = service.tool_specs();
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for id in specs
        .iter()
        .filter_map(|spec| spec.origin.operation_id.as_deref())
    {
        *ids.entry(id).or_default() += 1;
    }
    let is_own = |id: &str| ids.get(id) == Some(&1);
    let questions = specs.iter().filter_map(|spec| {
        let operation = operations.get(&spec.name)?;
        let endpoint = (operation.method, operation.path.as_str());
        let id = spec.origin.operation_id.as_deref();
        let selector = selector(id.filter(|id| is_own(id)), endpoint);
        Some(question(
            spec,
            selector,
            endpoint,
            operation.is_pinned(&spec.name),
        ))
    });
    questions
        .filter(|question| !question.why.is_empty())
        .collect()
}

/// Returns what the command reads.
pub(super) fn request(service: &str, questions: &[Question]) -> Value {
    json!({
        "version": VERSION,
        "service": service,
        "verbs": *TOOL_VERBS,
        "effects": Effect::ALL,
        "operations": questions,
    })
}

fn question(spec: &ToolSpec, selector: String, endpoint: (Method, &str), pinned: bool) -> Question {
    let (method, path) = endpoint;
    let reasons = [
        (!pinned, "unpinned"),
        (is_uncertain(spec), "uncertain"),
        (is_badly_worded(spec), "badly-worded"),
    ];
    let arguments = spec.input_schema.root().get("properties");
    let arguments = arguments.and_then(Value::as_object);
    Question {
        operation: selector,
        method,
        path: path.to_owned(),
        name: spec.name.clone(),
        pinned,
        title: spec.title.clone(),
        description: spec.description.clone(),
        category: spec.category,
        effect: spec.effect,
        approval_required: spec.approval_required,
        evidence: spec.evidence.clone(),
        arguments: arguments.map_or_else(Vec::new, |names| names.keys().cloned().collect()),
        why: reasons
            .into_iter()
            .filter_map(|(applies, why)| applies.then_some(why))
            .collect(),
    }
}

/// Returns a selector of this operation alone.
fn selector(id: Option<&str>, (method, path): (Method, &str)) -> String {
    let is_plain = |id: &str| {
        let mut characters = id.chars();
        !id.is_empty()
            && !id.starts_with("tag:")
            && characters.all(|character| character != '*' && !character.is_whitespace())
    };
    match id {
        Some(id) if is_plain(id) => id.to_owned(),
        _ => format!("{method} {path}"),
    }
}

/// Checks whether the tool is an action because nothing shows what it does.
fn is_uncertain(spec: &ToolSpec) -> bool {
    let decided = spec.evidence.iter().filter(|evidence| evidence.decided);
    let by_method = |evidence: &Evidence| evidence.source == EvidenceSource::Method;
    spec.effect == Effect::Action && decided.clone().all(by_method)
}

/// Checks whether the name or the description would make a reader stop.
fn is_badly_worded(spec: &ToolSpec) -> bool {
    let mut words = spec.name.as_str().split('-').skip(2).peekable();
    let odd = words
        .peek()
        .is_some_and(|first| PREPOSITIONS.contains(first));
    let words: Vec<&str> = words.collect();
    let is_number = |word: &&str| word.chars().all(|character| character.is_ascii_digit());
    let repeats = words
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a == b));
    let is_long = words.len() > MAX_NOUN_WORDS;
    let description = spec.description.split_whitespace().count();
    odd || repeats || is_long || words.iter().any(is_number) || description < MIN_DESCRIPTION_WORDS
}

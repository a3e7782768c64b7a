//! Steps of a path that name what a verb does: `following` of `follow`.

use toolwright_model::Kind;

use crate::language::{
    clause::Clause,
    reading::{Step, StepSource, parameter::own_words},
    singular,
    vocabulary::{Tag, any, is, verb_form},
};

/// Removes the last step if it is what the verb does: `following` of `follow`. The object of the
/// clause takes its place. Returns nothing if no words are left.
pub(super) fn without_deed(
    verb: &str,
    steps: &[Step],
    clause: &Clause,
) -> Option<(Vec<Step>, Vec<String>)> {
    let mut steps = steps.to_vec();
    let count = steps.len();
    // `user/follows/networks/{id}`
    if let Some((_, parents)) = steps.split_last()
        && let Some(at) = parents
            .iter()
            .position(|step| !step.is_item() && is_deed(verb, &singular(&step.words.concat())))
    {
        steps.remove(at);
    }
    let whole = |steps| Some((steps, Vec::new()));
    let Some(last) = steps
        .last_mut()
        .filter(|last| last.source == StepSource::Literal)
    else {
        return whole(steps);
    };
    let word = last.words.last().map_or("", String::as_str);
    if !is_deed(verb, &singular(word)) {
        return whole(steps);
    }
    // `subscription-reactivations`
    if last.words.len() > 1 {
        last.words.pop();
        return whole(steps);
    }
    // `user/follows/networks/{id}` of `unfollow`
    let own = |word: &&String| !is(word, Tag::Own);
    let mut object: Vec<String> = clause.object.iter().filter(own).cloned().collect();
    // `users/{id}/likes/{tweet_id}`
    let key = last.keys.last().filter(|_| object.is_empty());
    object.extend(key.into_iter().flat_map(|key| own_words(key)));
    if count == 1 {
        return (!object.is_empty()).then_some((Vec::new(), object));
    }
    let many = last.keys.is_empty() && last.is_many();
    steps.pop();
    let known = |word: &String| {
        steps
            .iter()
            .any(|step| singular(step.last()) == singular(word))
    };
    // `me/following`
    let current = |step: &Step| step.words.first().is_some_and(|first| first == "current");
    let caller = steps.len() == 1 && steps.iter().all(|step| !step.is_item() || current(step));
    match object.last() {
        Some(last) if !known(last) || caller => {
            steps.retain(|step| !any(&step.words, Tag::Caller));
            Some((steps, object))
        }
        // `Comment on the issue` of `comments`
        _ if many && clause.verb.is_none_or(|at| at.verb.kind == Kind::Annotate) => None,
        _ => whole(steps),
    }
}

/// Nouns of tools, and what they do.
const AGENTS: [(&str, &str); 9] = [
    ("analyser", "analyze"),
    ("analyzer", "analyze"),
    ("calculator", "calculate"),
    ("converter", "convert"),
    ("estimator", "estimate"),
    ("generator", "generate"),
    ("parser", "parse"),
    ("validator", "validate"),
    ("verifier", "verify"),
];

/// Returns the verb of the noun of a tool: `validate` of `validator`.
pub(super) fn verb_of_agent(noun: &str) -> Option<&'static str> {
    let agent = AGENTS.iter().find(|(agent, _)| *agent == noun);
    agent.map(|(_, verb)| *verb)
}

/// Checks whether the noun is the action itself: `deactivation` of `deactivate`.
fn is_deed(verb: &str, noun: &str) -> bool {
    const STEM: usize = 4;
    const DEEDS: [&str; 6] = ["ion", "ment", "ance", "al", "ing", "ed"];
    let shared = verb
        .bytes()
        .zip(noun.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let derived = DEEDS.iter().any(|ending| noun.ends_with(ending));
    let mut prefixes = ["un", "de", "dis"].into_iter();
    let undone = prefixes.any(|prefix| {
        let verb = verb.strip_prefix(prefix);
        verb.is_some_and(|verb| is_deed(verb, noun))
    });
    let agent = verb_of_agent(noun) == Some(verb);
    let form = verb_form(noun).is_some_and(|(of, _)| of.base == verb);
    // `config` of `configure`
    let short = noun.len() > STEM && verb.starts_with(noun);
    noun == verb
        || undone
        || agent
        || form
        || short
        || derived && shared >= STEM.max(verb.len().saturating_sub(2))
}

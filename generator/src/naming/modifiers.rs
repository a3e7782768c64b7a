//! The number of nouns that describe another.

use super::{context::Context, verb::VerbChoice};
use crate::language::{
    is_plural, singular,
    vocabulary::{Tag, is},
};

/// Nouns that follow a thing in the singular: `member count`.
const ABOUT: [&str; 11] = [
    "config",
    "configuration",
    "count",
    "counts",
    "history",
    "log",
    "logs",
    "report",
    "state",
    "status",
    "summary",
];

/// Makes a plural before another noun singular: `members-count`.
pub(crate) fn number_modifiers(_: &Context<'_>, choice: &mut VerbChoice) -> bool {
    let steps = choice.steps.iter_mut().map(|step| &mut step.words);
    let mut changed = false;
    for words in steps.chain([&mut choice.object]) {
        let about = |next: &String| {
            let noun = is(&singular(next), Tag::Noun) && !is(next, Tag::Adjective);
            ABOUT.contains(&next.as_str()) || noun
        };
        let follows: Vec<bool> = words.iter().skip(1).map(about).collect();
        for (word, follows) in words.iter_mut().zip(follows) {
            let one = singular(word);
            // `sales`, `settings`; `Apps Script` is a name
            let named = matches!(word.as_str(), "apps" | "services" | "teams");
            let noun = !named
                && is(&one, Tag::Noun)
                && !is(word, Tag::Single)
                && !is(word, Tag::Adjective);
            if follows && noun && is_plural(word) {
                *word = one;
                changed = true;
            }
        }
    }
    changed
}

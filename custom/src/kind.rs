//! Reads the class of a tool: its category and its effect.

use toolwright::{
    Category, Effect, Kind, ToolName,
    config::reader::{ConfigReader, TomlNode},
};
use toolwright_model::{
    Promise, promise_of,
    settings::{Node as _, Reader as _},
};

/// Returns the kind that the category and the effect declare, if neither contradicts the other or the name.
pub(crate) fn read(
    document: TomlNode<'_>,
    name: Option<&ToolName>,
    reader: &mut ConfigReader,
) -> Option<Kind> {
    let category = reader.word(document, "category", Category::ALL)?;
    let effect = reader.word(document, "effect", Effect::ALL);
    if document.value_of("effect").is_some() && effect.is_none() {
        return None;
    }
    let effect_value = effect.as_ref().map(|effect| effect.value);
    let reads = match category.value {
        Category::Observe | Category::Report => true,
        Category::Execute => false,
        _ => {
            let help = "write `observe`, `report` or `execute`";
            reader.problem(
                category.place,
                "a custom tool takes part in no approval",
                help,
            );
            return None;
        }
    };
    let otherwise = if reads { Effect::Read } else { Effect::Action };
    let effect_word = effect_value.unwrap_or(otherwise);
    if reads != (effect_word == Effect::Read) {
        let place = effect.map_or(category.place, |effect| effect.place);
        let message = format!(
            "the effect `{effect_word}` contradicts the category `{}`",
            category.value
        );
        let help = "a tool that changes something has the category `execute`";
        reader.problem(place, &message, help);
        return None;
    }
    let verb = name.and_then(|name| name.as_str().split('-').next());
    let is_kept = match verb.and_then(promise_of) {
        Some(Promise::Reads) => reads,
        Some(Promise::Has(effect)) => effect_word == effect || effect_word == Effect::Delete,
        Some(Promise::Changes) => !reads,
        None => true,
    };
    if !is_kept {
        let verb = verb.unwrap_or_default();
        let message = format!("the verb `{verb}` contradicts the effect `{effect_word}`");
        let help = "agents rely on the verb: write the effect that it has, or another verb";
        reader.problem(category.place, &message, help);
        return None;
    }
    Some(Kind::from_parts(category.value, effect_word, true))
}

//! Contradictions in the governance of an overlay.

use toolwright_model::{Category, Effect, Governance, Hints};

use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        source::{Place, Placed},
    },
    parse::overlay::GovernanceCuration,
};

/// Returns all contradictions, each at the setting that is easier to fix.
pub(super) fn find(governance: &Governance, said: &GovernanceCuration) -> Vec<Diagnostic> {
    let places = SettingPlaces::from_curation(said);
    let class = Class {
        category: value(&said.category).unwrap_or_else(|| governance.category()),
        effect: value(&said.effect).unwrap_or_else(|| governance.effect()),
        hints: governance.hints,
    };
    let found = [
        category_and_effect(&class, &places),
        category_and_hint(&class, &places),
        hints(&class, &places),
        hint_and_effect(&class, &places),
    ];
    found.into_iter().flatten().collect()
}

fn value<T: Copy>(setting: &Option<Placed<T>>) -> Option<T> {
    setting.as_ref().map(|setting| setting.value)
}

/// The class that the overlay states. Its category and its effect may contradict each other.
struct Class {
    category: Category,
    effect: Effect,
    hints: Hints,
}

/// The places of settings that may contradict others.
struct SettingPlaces {
    category: Option<Place>,
    effect: Option<Place>,
    read_only: Option<Place>,
    destructive: Option<Place>,
}

impl SettingPlaces {
    fn from_curation(said: &GovernanceCuration) -> Self {
        Self {
            category: said.category.as_ref().map(|said| said.place),
            effect: said.effect.as_ref().map(|said| said.place),
            read_only: said.read_only.as_ref().map(|said| said.place),
            destructive: said.destructive.as_ref().map(|said| said.place),
        }
    }
}

/// `observe` with the effect `delete`, `execute` with the effect `read`.
fn category_and_effect(class: &Class, places: &SettingPlaces) -> Option<Diagnostic> {
    let Class {
        category, effect, ..
    } = class;
    let (category_does, effect_does) = match (changes(*category), *effect != Effect::Read) {
        (false, true) => ("changes nothing", "does"),
        (true, false) => ("changes something", "does not"),
        _ => return None,
    };
    report(
        format!(
            "the category `{category}` {category_does}, but the effect `{effect}` {effect_does}"
        ),
        [places.category, places.effect],
        "set only the effect; category, approval and hints follow from it",
    )
}

/// `execute` or `approve` with `read_only`, `observe` without it.
fn category_and_hint(class: &Class, places: &SettingPlaces) -> Option<Diagnostic> {
    let category = class.category;
    let said = places.read_only.filter(|_| places.category.is_some())?;
    let (hint, help) = match (changes(category), class.hints.read_only) {
        (true, true) => (
            "cannot be",
            "remove the hint, or set `category = \"observe\"`",
        ),
        (false, false) => (
            "must be",
            "remove the hint, or set `category = \"execute\"`",
        ),
        _ => return None,
    };
    report(
        format!("a tool of the category `{category}` {hint} read-only"),
        [Some(said), places.category],
        help,
    )
}

/// `read_only` with `destructive`; what only reads is read-only without a word.
fn hints(class: &Class, places: &SettingPlaces) -> Option<Diagnostic> {
    let both = class.hints.read_only && class.hints.destructive;
    let destructive = places.destructive.filter(|_| both)?;
    let category = places.category.filter(|_| !changes(class.category));
    report(
        "a tool that is read-only cannot be destructive".to_owned(),
        [
            Some(destructive),
            places.read_only.or(category).or(places.effect),
        ],
        "remove one of the two",
    )
}

/// `read_only` with the effect `delete`, or without the effect `read`.
fn hint_and_effect(class: &Class, places: &SettingPlaces) -> Option<Diagnostic> {
    let effect = class.effect;
    let reads = effect == Effect::Read;
    let of_category = places.category.is_some() && changes(class.category) != reads;
    let fits = class.hints.read_only == reads;
    let said = places.read_only.filter(|_| !fits && !of_category)?;
    report(
        format!("the hint `read_only` contradicts the effect `{effect}`"),
        [Some(said), places.effect],
        "set only the effect; category, approval and hints follow from it",
    )
}

const fn changes(category: Category) -> bool {
    matches!(category, Category::Execute | Category::Approve)
}

/// Creates a diagnostic at the first place that exists, with the other as a secondary label.
fn report(message: String, places: [Option<Place>; 2], help: &str) -> Option<Diagnostic> {
    let mut places = places.into_iter().flatten();
    let diagnostic = Diagnostic::error(Code::ContradictoryGovernance, places.next()?, message);
    let diagnostic = match places.next() {
        Some(other) => diagnostic.also(other, "the contradicted setting"),
        None => diagnostic,
    };
    Some(diagnostic.help(help))
}

//! JSON Schemas as values: resolve references, bundle definitions, walk subschemas, describe a
//! schema in a few words, and make values that conform to it.
//!
//! The crate works on finished JSON Schemas of the draft 2020-12, as the records of tools contain
//! them: [`Value`](serde_json::Value)s whose `$ref`s are fragments, such as `#/$defs/Item`. It does
//! no I/O, fetches nothing and knows nothing about tools. Anchors, `$id`, `$dynamicRef` and the
//! keywords of earlier drafts, such as `definitions`, are data to it; a reference may lead into them.
//!
//! | task | item |
//! |---|---|
//! | find the target of a reference | [`Root`], [`reference`](fn@reference), [`map_references`] |
//! | look up definitions by name | [`Definitions`], [`definition_name`] |
//! | share definitions, copy those that a schema reaches, or only the nearest | [`SharedDefinitions`] |
//! | visit all subschemas | [`walk`], [`walk_mut`], [`for_each_child_mut`] |
//! | read the keywords of one schema | [`types`], [`properties`], [`required`], [`alternatives`], [`only_variant`], [`is_null`], [`declares_secret`] |
//! | describe a schema to a person | [`Root::in_words`], [`Root::summary`] |
//! | name the type of a value | [`type_of`] |
//! | make a value | [`Example`] |
//! | write a value with sorted keys, or only count its bytes | [`canonical()`], [`json_length`] |
//! | drop patterns that a validator cannot compile | [`patterns`] |
//!
//! # Bounds
//!
//! Schemas come from documents of others. Every function ends on every schema: references may form
//! circles or diamonds, lead nowhere, or be nested deeply. A walk visits each subschema once and does
//! not recurse. Functions that follow references count their steps, and each documents its bound and
//! its result beyond it.

mod canonical;
mod cut;
mod definitions;
mod example;
mod json_pointer;
mod keywords;
mod length;
pub mod patterns;
mod root;
mod walk;
mod words;

pub use canonical::canonical;
pub use definitions::{Definitions, SharedDefinitions, definition_name};
pub use example::{Example, Extent, PatternSampler};
pub use json_pointer::JsonPointer;
pub use keywords::{
    alternatives, declares_secret, is_null, is_secret, only_variant, properties, required, type_of,
    types,
};
pub use length::json_length;
pub use root::{Root, reference};
pub use walk::{Subschema, Walk, for_each_child_mut, map_references, walk, walk_mut};

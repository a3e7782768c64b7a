//! The expected Rust of the generator's cases, compiled.
//!
//! `UPDATE_EXPECT=1 cargo test -p toolwright-generator --test cases` writes this file.
extern crate toolwright_adapter as toolwright;
use toolwright::EmbeddedTools;
const TOOLS: EmbeddedTools = EmbeddedTools::new("shop", "{}");
/// The examples of `docs/generated-api.md`.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/generated-api.md")]
pub struct GeneratedApi;
/// The case `a-reference-to-itself`.
#[path = "../../cases/a-reference-to-itself/expected"]
pub mod a_reference_to_itself {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `answers-of-all-kinds`.
#[path = "../../cases/answers-of-all-kinds/expected"]
pub mod answers_of_all_kinds {
    use super::TOOLS;
    pub mod failures;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `bodies-become-arguments`.
#[path = "../../cases/bodies-become-arguments/expected"]
pub mod bodies_become_arguments {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `bodies-of-all-kinds`.
#[path = "../../cases/bodies-of-all-kinds/expected"]
pub mod bodies_of_all_kinds {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `deprecated-operations`.
#[path = "../../cases/deprecated-operations/expected"]
pub mod deprecated_operations {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `discriminators`.
#[path = "../../cases/discriminators/expected"]
pub mod discriminators {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `eab-effects`.
#[path = "../../cases/eab-effects/expected"]
pub mod eab_effects {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `eab-methods`.
#[path = "../../cases/eab-methods/expected"]
pub mod eab_methods {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `failures-of-several-tools`.
#[path = "../../cases/failures-of-several-tools/expected"]
pub mod failures_of_several_tools {
    use super::TOOLS;
    pub mod failures;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `formats-with-types-of-their-own`.
#[path = "../../cases/formats-with-types-of-their-own/expected"]
pub mod formats_with_types_of_their_own {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `graphql-operations`.
#[path = "../../cases/graphql-operations/expected"]
pub mod graphql_operations {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `graphql-tools`.
#[path = "../../cases/graphql-tools/expected"]
pub mod graphql_tools {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `hidden-parameters`.
#[path = "../../cases/hidden-parameters/expected"]
pub mod hidden_parameters {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `lists-without-pages`.
#[path = "../../cases/lists-without-pages/expected"]
pub mod lists_without_pages {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `names-of-schemas`.
#[path = "../../cases/names-of-schemas/expected"]
pub mod names_of_schemas {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `numbers-beyond-64-bits`.
#[path = "../../cases/numbers-beyond-64-bits/expected"]
pub mod numbers_beyond_64_bits {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `openapi-3.2`.
#[path = "../../cases/openapi-3.2/expected"]
pub mod openapi_3_2 {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `overlay-entries-together`.
#[path = "../../cases/overlay-entries-together/expected"]
pub mod overlay_entries_together {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `pages`.
#[path = "../../cases/pages/expected"]
pub mod pages {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `parameters-of-all-kinds`.
#[path = "../../cases/parameters-of-all-kinds/expected"]
pub mod parameters_of_all_kinds {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `patterns-that-do-not-compile`.
#[path = "../../cases/patterns-that-do-not-compile/expected"]
pub mod patterns_that_do_not_compile {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `pinned-parameters`.
#[path = "../../cases/pinned-parameters/expected"]
pub mod pinned_parameters {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `references-to-everywhere`.
#[path = "../../cases/references-to-everywhere/expected"]
pub mod references_to_everywhere {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `references-with-siblings`.
#[path = "../../cases/references-with-siblings/expected"]
pub mod references_with_siblings {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `responses-in-part`.
#[path = "../../cases/responses-in-part/expected"]
pub mod responses_in_part {
    use super::TOOLS;
    pub mod failures;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `schemas-of-2020-12`.
#[path = "../../cases/schemas-of-2020-12/expected"]
pub mod schemas_of_2020_12 {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `schemas-without-a-type`.
#[path = "../../cases/schemas-without-a-type/expected"]
pub mod schemas_without_a_type {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `secrets-of-all-kinds`.
#[path = "../../cases/secrets-of-all-kinds/expected"]
pub mod secrets_of_all_kinds {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `streams`.
#[path = "../../cases/streams/expected"]
pub mod streams {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `swagger-2`.
#[path = "../../cases/swagger-2/expected"]
pub mod swagger_2 {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `texts-with-invisible-characters`.
#[path = "../../cases/texts-with-invisible-characters/expected"]
pub mod texts_with_invisible_characters {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `the-rust-api-of-adapters`.
#[path = "../../cases/the-rust-api-of-adapters/expected"]
pub mod the_rust_api_of_adapters {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}
/// The case `unknown-values`.
#[path = "../../cases/unknown-values/expected"]
pub mod unknown_values {
    use super::TOOLS;
    mod tools;
    pub mod types;
    pub use tools::*;
}

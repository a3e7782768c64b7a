//! The messages of the macros: one mistake a file, with its message in a file next to it.
//!
//! `TRYBUILD=overwrite cargo test -p toolwright-macros --test ui` rewrites the messages; read them.

#[test]
fn each_mistake_has_its_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

//! What the macros say to a mistake: one fault a file, and the message beside it.
//!
//! `TRYBUILD=overwrite cargo test -p toolwright-macros --test ui` writes the messages anew; read them.

#[test]
fn each_mistake_has_its_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

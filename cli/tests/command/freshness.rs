//! Checks that `generated/` matches the specifications of this repository.

use std::path::Path;

use crate::support::{command, run};

#[test]
fn the_checked_in_adapters_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    run(&mut command(&root, &["check"]))
        .expect(0)
        .says("is fresh");
}

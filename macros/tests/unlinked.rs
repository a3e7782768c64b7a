//! The tools of a crate that the program depends on and refers to nowhere are not there: the crate
//! is not linked at all. `linked.rs` has what to write against that.

use std::sync::Arc;

use toolwright::{Registry, audit::MemoryAudit};

#[test]
fn an_unreferenced_crate_registers_no_tools() {
    let registry = Registry::builder()
        .linked_tools()
        .audit(Arc::new(MemoryAudit::new()))
        .build()
        .unwrap();
    assert_eq!(registry.tools().count(), 0);
}

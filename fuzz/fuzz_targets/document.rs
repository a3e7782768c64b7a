//! Fuzzes the path from a document to a catalogue: bounded time and memory, and full governance.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_tests::fuzz::document(data));

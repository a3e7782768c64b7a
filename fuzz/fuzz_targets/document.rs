//! From a document to a catalogue: in bounded time and memory, and governed by what it shows.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_tests::fuzz::document(data));

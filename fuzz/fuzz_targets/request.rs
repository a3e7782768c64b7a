//! Fuzzes the path from arguments to a request, which must always match its template.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_tests::fuzz::request(data));

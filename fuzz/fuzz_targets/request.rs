//! From arguments to a request: the request always fits its template.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_tests::fuzz::request(data));

//! Fuzzes the path from a response to the output, which must never contain the secret of the call.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_tests::fuzz::answer(data));

//! From answer to output: the secret of the call never comes out.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_tests::fuzz::answer(data));

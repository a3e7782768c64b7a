//! The build without the feature `gzip`: every use of a compressed segment is an error.

use std::{
    fs::File,
    io::{self, Read, Write},
};

pub(crate) fn available() -> io::Result<()> {
    let text = "compressed segments need the feature `gzip` of the crate `toolwright`";
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

pub(crate) fn encode(_: &[u8], _: &mut impl Write) -> io::Result<()> {
    available()
}

pub(crate) fn decode<'a>(packed: &'a [u8], _: &mut Vec<u8>) -> io::Result<&'a [u8]> {
    available().map(|()| packed)
}

pub(crate) fn reader(_: File) -> io::Result<impl Read + Send> {
    available().map(|()| io::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_use_names_the_feature() {
        let nothing = || tempfile::tempfile().unwrap();
        let errors = [
            available().unwrap_err(),
            encode(b"{}", &mut io::sink()).unwrap_err(),
            decode(b"", &mut Vec::new()).unwrap_err(),
            reader(nothing()).map(drop).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), io::ErrorKind::Unsupported);
            assert!(error.to_string().contains("feature `gzip`"), "{error}");
        }
    }
}

//! The imports and the package of a `.proto` file, read before it is compiled.

use std::ops::Range;

/// The deepest nesting of braces and brackets. Messages may be nested 31 levels deep.
const DEEPEST: usize = 100;

/// The imports and the package of a file.
#[derive(Debug, Default)]
pub(crate) struct Header {
    /// The imported files, each with the place of its string.
    pub(crate) imports: Vec<(String, Range<usize>)>,
    /// The package.
    pub(crate) package: Option<String>,
}

/// A fault that keeps the header of a file from being read, with its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderFault {
    /// Braces and brackets are nested too deeply.
    TooDeep(usize),
    /// A comment does not end.
    OpenComment(usize),
    /// The file has an edition in place of a syntax.
    Edition(usize),
}

/// Files of `google/api` whose options are read, without anything else that the originals have. They
/// are used if the document imports them and does not have them.
const BUILT_IN: [(&str, &str); 5] = [
    (
        "google/api/annotations.proto",
        include_str!("built_in/annotations.proto"),
    ),
    (
        "google/api/client.proto",
        include_str!("built_in/client.proto"),
    ),
    (
        "google/api/field_behavior.proto",
        include_str!("built_in/field_behavior.proto"),
    ),
    ("google/api/http.proto", include_str!("built_in/http.proto")),
    (
        "google/api/resource.proto",
        include_str!("built_in/resource.proto"),
    ),
];

/// Returns the text of a file that is part of the program.
pub(crate) fn built_in(name: &str) -> Option<&'static str> {
    let found = BUILT_IN.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

/// Checks whether a file is one of those that come with every compiler.
pub(crate) fn is_well_known(name: &str) -> bool {
    let Some(file) = name.strip_prefix("google/protobuf/") else {
        return false;
    };
    matches!(
        file,
        "any.proto"
            | "api.proto"
            | "compiler/plugin.proto"
            | "descriptor.proto"
            | "duration.proto"
            | "empty.proto"
            | "field_mask.proto"
            | "source_context.proto"
            | "struct.proto"
            | "timestamp.proto"
            | "type.proto"
            | "wrappers.proto"
    )
}

impl Header {
    /// Reads the header of a file. Whatever else is wrong with the file, the compiler reports.
    ///
    /// # Errors
    /// Returns the fault after which the rest of the file means nothing.
    pub(crate) fn read(text: &str) -> Result<Self, HeaderFault> {
        let mut header = Self::default();
        let mut scanner = Scanner {
            text,
            at: 0,
            open_comment: None,
        };
        let mut depth = 0_usize;
        let mut first = true;
        while let Some((at, token)) = scanner.token() {
            match token {
                Token::Word("import") if first && depth == 0 => scanner.import(&mut header),
                Token::Word("edition") if first && depth == 0 => {
                    return Err(HeaderFault::Edition(at));
                }
                Token::Word("package") if first && depth == 0 => {
                    if let Some((_, Token::Word(name))) = scanner.token() {
                        header.package = Some(name.to_owned());
                    }
                }
                Token::Mark(b'{' | b'[' | b'(' | b'<') => {
                    depth += 1;
                    if depth > DEEPEST {
                        return Err(HeaderFault::TooDeep(at));
                    }
                }
                Token::Mark(b'}' | b']' | b')' | b'>') => depth = depth.saturating_sub(1),
                _ => {}
            }
            first = matches!(token, Token::Mark(b';' | b'}'));
        }
        match scanner.open_comment {
            Some(at) => Err(HeaderFault::OpenComment(at)),
            None => Ok(header),
        }
    }
}

/// A part of a file.
#[derive(Clone, Copy)]
enum Token<'t> {
    Word(&'t str),
    Text(&'t str),
    Mark(u8),
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// The offset of a comment that does not end.
    open_comment: Option<usize>,
}

impl<'t> Scanner<'t> {
    fn import(&mut self, header: &mut Header) {
        let mut next = self.token();
        if let Some((_, Token::Word("public" | "weak"))) = next {
            next = self.token();
        }
        if let Some((at, Token::Text(name))) = next {
            header.imports.push((name.to_owned(), at..self.at));
        }
    }

    /// Returns the next token with its offset.
    fn token(&mut self) -> Option<(usize, Token<'t>)> {
        self.skip_blank();
        let start = self.at;
        let byte = *self.text.as_bytes().get(start)?;
        if is_word(byte) {
            while self.peek().is_some_and(is_word) {
                self.at += 1;
            }
            let word = self.text.get(start..self.at)?;
            return Some((start, Token::Word(word)));
        }
        self.at += 1;
        if !matches!(byte, b'"' | b'\'') {
            return Some((start, Token::Mark(byte)));
        }
        while let Some(next) = self.peek().filter(|next| *next != b'\n') {
            self.at += if next == b'\\' { 2 } else { 1 };
            if next == byte {
                break;
            }
        }
        self.at = self.at.min(self.text.len());
        let inner = start + 1..self.at.saturating_sub(1).max(start + 1);
        let inner = self.text.get(inner).unwrap_or_default();
        Some((start, Token::Text(inner)))
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let end = match rest {
                [byte, ..] if byte.is_ascii_whitespace() => Some(1),
                [b'/', b'/', ..] => Some(find(rest, b"\n")),
                [b'/', b'*', inner @ ..] => {
                    if !inner.ends_with(b"*/") && find(inner, b"*/") == inner.len() {
                        self.open_comment = Some(self.at);
                    }
                    Some(2 + find(inner, b"*/"))
                }
                _ => None,
            };
            match end {
                Some(end) => self.at += end,
                None => return,
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// Returns the offset after the first occurrence, or the length.
fn find(bytes: &[u8], end: &[u8]) -> usize {
    let at = bytes.windows(end.len()).position(|window| window == end);
    at.map_or(bytes.len(), |at| at + end.len())
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_and_the_package_are_found() {
        let text = "// import \"no.proto\";\nsyntax = \"proto3\"; package a.b;\n/* import \"no.proto\"; */\n\
            import public 'x/y.proto'; import \"z.proto\";\nmessage A { string import = 1; } import \"w.proto\"";
        let header = Header::read(text).unwrap();
        let names: Vec<_> = header
            .imports
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["x/y.proto", "z.proto", "w.proto"]);
        assert_eq!(header.package.as_deref(), Some("a.b"));
        let (_, place) = &header.imports[1];
        assert_eq!(text.get(place.clone()), Some("\"z.proto\""));
    }

    #[test]
    fn deep_nesting_is_refused_and_nothing_panics() {
        let deep = format!("option x = {}", "{a: ".repeat(200));
        assert!(Header::read(&deep).is_err());
        for text in [
            "import",
            "import \"",
            "import \"\\",
            "package",
            "\"é",
            "import 'é",
        ] {
            assert!(Header::read(text).is_ok(), "{text}");
        }
        for (text, at) in [("/*", 0), ("a /* b * /", 2), ("/* a */ /*/", 8)] {
            let fault = Header::read(text).unwrap_err();
            assert_eq!(fault, HeaderFault::OpenComment(at), "{text}");
        }
        assert!(Header::read("/**/ /* a */").is_ok());
    }

    #[test]
    fn the_built_in_files_import_only_others_of_them() {
        for (_, text) in BUILT_IN {
            for (name, _) in Header::read(text).unwrap().imports {
                assert!(built_in(&name).is_some() || is_well_known(&name), "{name}");
            }
        }
    }
}

//! The fields of a submitted form, or of a query.

use std::borrow::Cow;

/// Fields by their names, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Parses `application/x-www-form-urlencoded`.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let fields = url::form_urlencoded::parse(text);
        Self(
            fields
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
        )
    }

    /// Returns a field; an empty string if it is absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        let mut fields = self.0.iter();
        let found = fields.find(|(field, _)| field == name);
        found.map_or("", |(_, value)| value.trim())
    }

    /// Returns a field that is not empty.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    /// Returns a field that a person writes on one line: line breaks become spaces.
    pub(crate) fn line(&self, name: &str) -> Option<String> {
        let words: Vec<&str> = self.text(name).lines().map(str::trim).collect();
        Some(words.join(" ")).filter(|line| !line.trim().is_empty())
    }

    /// Returns a field that is a number; 0 if it is none.
    pub(crate) fn number(&self, name: &str) -> usize {
        self.text(name).parse().unwrap_or_default()
    }
}

/// Returns a query with these fields; those without a value are left out.
pub(crate) fn query(fields: &[(&str, Cow<'_, str>)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    match query.finish() {
        empty if empty.is_empty() => empty,
        query => format!("?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line() {
        let fields = Fields::parse(b"reason=a%0D%0A+b&reason=c&empty=+%0A");
        assert_eq!(fields.line("reason").as_deref(), Some("a b"));
        assert_eq!(fields.line("empty"), None);
        assert_eq!(fields.text("none"), "");
    }

    #[test]
    fn a_query_has_what_is_set() {
        assert_eq!(query(&[("q", "".into())]), "");
        assert_eq!(
            query(&[("q", "a&b".into()), ("page", "2".into())]),
            "?q=a%26b&page=2"
        );
    }
}

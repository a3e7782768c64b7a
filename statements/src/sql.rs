//! Named parameters of a statement, as the numbered ones that the database knows.

/// A statement with numbered parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbered {
    /// The statement with `$1`, `$2` in place of the names.
    pub(crate) text: String,
    /// The names by their numbers.
    pub(crate) names: Vec<String>,
}

/// Numbers the parameters of a statement: `:name`. Strings, quoted names, comments and casts (`::text`) stay.
pub(crate) fn numbered(sql: &str) -> Numbered {
    let mut text = String::with_capacity(sql.len());
    let mut names: Vec<String> = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let kept = opaque(rest);
        if kept > 0 {
            let (before, after) = rest.split_at_checked(kept).unwrap_or((rest, ""));
            text.push_str(before);
            rest = after;
            continue;
        }
        let name = rest.strip_prefix(':').map_or("", leading_name);
        let (_, after) = rest
            .split_at_checked(first.len_utf8())
            .unwrap_or((rest, ""));
        rest = after;
        if name.is_empty() {
            text.push(first);
            continue;
        }
        let known = names.iter().position(|known| known == name);
        let number = known.unwrap_or(names.len()) + 1;
        if known.is_none() {
            names.push(name.to_owned());
        }
        text.push_str(&format!("${number}"));
        rest = rest.strip_prefix(name).unwrap_or(rest);
    }
    Numbered { text, names }
}

/// Returns the length of the string, quoted name, comment or cast at the beginning, which stays unchanged.
fn opaque(text: &str) -> usize {
    let until = |start: usize, end: &str| {
        let found = text.get(start..).and_then(|rest| rest.find(end));
        found.map_or(text.len(), |at| start + at + end.len())
    };
    if text.starts_with("::") {
        2
    } else if text.starts_with("--") {
        until(2, "\n")
    } else if text.starts_with("/*") {
        comment(text)
    } else if text.starts_with('\'') {
        // A doubled quotation mark begins another string, which is as opaque as this one.
        until(1, "'")
    } else if text.starts_with('"') {
        until(1, "\"")
    } else if let Some(tag) = dollar_quote(text) {
        until(tag.len(), tag)
    } else {
        0
    }
}

/// Returns the length of a comment, which may contain others.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let step = if rest.starts_with("/*") {
            depth += 1;
            2
        } else if rest.starts_with("*/") {
            depth -= 1;
            2
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Returns the tag that begins a string in dollars: `$$` or `$tag$`.
fn dollar_quote(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('$')?;
    let name = leading_name(inner);
    inner.strip_prefix(name)?.strip_prefix('$')?;
    text.get(..name.len() + 2)
}

/// Returns the name at the beginning of a string; empty if there is none.
fn leading_name(text: &str) -> &str {
    let begins = text.starts_with(|c: char| c == '_' || c.is_ascii_lowercase());
    let is_part = |c: char| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit();
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text.get(..end).filter(|_| begins).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_numbers() {
        let sql = "select * from t where a = :a and b >= :b_2 or a < :a";
        let expected = "select * from t where a = $1 and b >= $2 or a < $1";
        let numbered = numbered(sql);
        assert_eq!(numbered.text, expected);
        assert_eq!(numbered.names, ["a", "b_2"]);
    }

    #[test]
    fn what_is_no_parameter_stays() {
        for sql in [
            "select 'a :b', ''':c', \":d\", x::text",
            "select 1 -- :a\n",
            "select 1 /* :a /* :b */ :c */",
            "select $$ :a $$, $q$ :b $$ $q$",
            "select '12:30', a[1:2], :: , : , :A",
            "select 'open :a",
            "/* open :a",
            "$q$ :a",
            "",
        ] {
            let numbered = numbered(sql);
            assert_eq!(
                (numbered.text.as_str(), numbered.names.len()),
                (sql, 0),
                "{sql}"
            );
        }
        assert_eq!(
            numbered("select 'a' || :b::text").text,
            "select 'a' || $1::text"
        );
        assert_eq!(numbered("select /* é */ :b").text, "select /* é */ $1");
    }
}

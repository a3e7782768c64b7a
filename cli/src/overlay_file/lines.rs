//! Missing lines of an overlay, each with its reason.

use toml_edit::{Array, DocumentMut, Item, RawString, TableLike, Value};
use toolwright_generator::fix::{Change, Fix, quoted};

use super::{OPERATIONS, OverlayFile};

/// The list of operations that do not become tools.
const EXCLUDE: &str = "exclude";

/// The indentation of elements of a list.
const INDENT: &str = "\n    ";

impl OverlayFile {
    /// Adds a missing line with its reason. Returns false if the overlay has it, or something that a
    /// person wrote in its place.
    pub(crate) fn add(&mut self, fix: &Fix) -> bool {
        match &fix.change {
            Change::Set(keys) => self.add_keys(fix, keys),
            Change::Exclude => self.add_exclusion(fix),
        }
    }

    fn add_keys(&mut self, fix: &Fix, keys: &[(&str, String)]) -> bool {
        let is_inline = self.is_inline(&fix.selector);
        let comment = format!("{}\n", fix.comment());
        let Some(entry) = self.entry(OPERATIONS, &fix.selector) else {
            return false;
        };
        if keys.iter().any(|(key, _)| entry.contains_key(key)) {
            return false;
        }
        if is_inline {
            trim_end(entry);
        }
        for (number, (key, text)) in keys.iter().enumerate() {
            entry.insert(key, Item::Value(string(text)));
            if let (0, false, Some(mut key)) = (number, is_inline, entry.key_mut(key)) {
                key.leaf_decor_mut().set_prefix(comment.as_str());
            }
        }
        if is_inline {
            self.comment_above(&fix.selector, &comment);
        }
        true
    }

    /// Adds a comment above an entry that is written in one line.
    fn comment_above(&mut self, selector: &str, comment: &str) {
        let is_whole = self.document.get(OPERATIONS).is_some_and(Item::is_value);
        let key = if is_whole {
            self.document.key_mut(OPERATIONS)
        } else {
            let section = self.document.get_mut(OPERATIONS);
            let section = section.and_then(Item::as_table_like_mut);
            section.and_then(|section| section.key_mut(selector))
        };
        let Some(mut key) = key else { return };
        let decor = key.leaf_decor_mut();
        let before = decor
            .prefix()
            .and_then(RawString::as_str)
            .unwrap_or_default();
        let prefix = format!("{before}{comment}");
        decor.set_prefix(prefix);
    }

    /// Checks whether an entry is written in one line, which has no place for a comment.
    fn is_inline(&self, selector: &str) -> bool {
        let section = self.document.get(OPERATIONS);
        let entry = section.and_then(|section| section.get(selector));
        section.is_some_and(Item::is_value) || entry.is_some_and(Item::is_value)
    }

    fn add_exclusion(&mut self, fix: &Fix) -> bool {
        if self.document.get(EXCLUDE).is_none() && !self.add_list() {
            return false;
        }
        let list = self.document.get_mut(EXCLUDE).and_then(Item::as_array_mut);
        let Some(list) = list else {
            return false;
        };
        if list.iter().any(|one| one.as_str() == Some(&fix.selector)) {
            return false;
        }
        let mut selector = string(&fix.selector);
        let before = list.trailing().as_str().unwrap_or_default().trim_end();
        let prefix = format!("{before}{INDENT}{}{INDENT}", fix.comment());
        selector.decor_mut().set_prefix(prefix);
        list.push_formatted(selector);
        list.set_trailing_comma(true);
        list.set_trailing("\n");
        true
    }

    /// Adds an empty list of exclusions after the keys at the root, or after the comment at the start
    /// of the file. Returns false if the file has a table of this name.
    fn add_list(&mut self) -> bool {
        if self.document.iter().any(|(_, item)| item.is_value()) {
            let list = Item::Value(Value::Array(Array::new()));
            self.document.insert(EXCLUDE, list);
            return true;
        }
        let text = self.document.to_string();
        let (header, rest) = text.split_at(header(&text));
        let gap = if rest.is_empty() { "" } else { "\n" };
        let with = format!("{header}{EXCLUDE} = []\n{gap}{rest}");
        let parsed = with.parse::<DocumentMut>();
        parsed.is_ok_and(|document| {
            self.document = document;
            true
        })
    }
}

/// Returns the length of the comment at the start of a file: the lines up to the first empty one, or
/// else the directive for editors.
fn header(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            return length + line.len();
        }
        if !line.starts_with('#') {
            break;
        }
        length += line.len();
    }
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if length == text.len() {
        length
    } else if first.starts_with("#:") {
        first.len()
    } else {
        0
    }
}

/// Removes the space at the end of a table in one line, which would precede a comma.
fn trim_end(table: &mut dyn TableLike) {
    let last = table.iter_mut().last();
    let Some(last) = last.and_then(|(_, item)| item.as_value_mut()) else {
        return;
    };
    let suffix = last.decor().suffix().and_then(RawString::as_str);
    if suffix.is_some_and(|suffix| suffix.chars().all(|c| c == ' ')) {
        last.decor_mut().set_suffix("");
    }
}

/// Returns a string as the help of the diagnostic shows it.
fn string(text: &str) -> Value {
    quoted(text).parse().unwrap_or_else(|_| text.into())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use toolwright::ServiceName;

    use super::*;

    fn overlay(text: &str) -> OverlayFile {
        OverlayFile::parse(Path::new("overlay.toml"), text).unwrap()
    }

    fn fix(selector: &str, change: Change) -> Fix {
        Fix {
            service: ServiceName::new("shop").unwrap(),
            selector: selector.to_owned(),
            has_entry: false,
            change,
            reason: "two\ntools".to_owned(),
        }
    }

    fn noun(selector: &str) -> Fix {
        fix(selector, Change::Set(vec![("noun", "items".to_owned())]))
    }

    #[track_caller]
    fn assert_added(before: &str, fix: &Fix, after: &str) {
        let mut file = overlay(before);
        assert!(file.add(fix));
        assert_eq!(file.text(), after);
        let mut again = overlay(after);
        assert!(!again.add(fix), "twice");
        assert_eq!(again.text(), after);
    }

    #[test]
    fn an_empty_file_gets_the_lines_of_the_help() {
        for fix in [
            noun("GET /items/{id}"),
            noun("listItems"),
            noun("GET /\u{200b}\"a\\"),
            fix("getItem", Change::Exclude),
        ] {
            assert_added("", &fix, &format!("{}\n", fix.to_toml()));
        }
    }

    #[test]
    fn an_entry_is_added_after_everything_in_the_file() {
        for before in [
            "# A comment.\nservice = 'shop' # theirs\n\n[operations.a] # kept\nverb   = \"get\"\n",
            "[operations.a]\nverb = \"get\"\n# noun = \"later\"\n\n[pin]\nb = { value = 1 }\n\n# The end.\n",
            "operations.a.verb = \"get\"\n",
            "[operations]\na = { verb = \"get\" }\n",
            "# Only a comment.\n",
        ] {
            let added = "\n[operations.b]\n# two tools\nnoun = \"items\"\n";
            assert_added(before, &noun("b"), &format!("{before}{added}"));
        }
        let crlf = "[operations.a]\r\nverb = \"get\"\r\n";
        let added = "\r\n[operations.b]\r\n# two tools\r\nnoun = \"items\"\r\n";
        assert_added(crlf, &noun("b"), &format!("{crlf}{added}"));
    }

    #[test]
    fn an_entry_that_a_person_wrote_is_completed() {
        assert_added(
            "[operations.a] # kept\nverb   = 'get' # why\n\n# later\n[pin]\n",
            &noun("a"),
            "[operations.a] # kept\nverb   = 'get' # why\n# two tools\nnoun = \"items\"\n\n# later\n[pin]\n",
        );
        assert_added(
            "operations = { a = { verb = 'get' } }\n",
            &noun("a"),
            "# two tools\noperations = { a = { verb = 'get', noun = \"items\" } }\n",
        );
        assert_added(
            "[operations]\n# theirs\na = { verb = 'get' }\nb = {}\n",
            &noun("a"),
            "[operations]\n# theirs\n# two tools\na = { verb = 'get', noun = \"items\" }\nb = {}\n",
        );
    }

    #[test]
    fn nothing_that_a_person_wrote_is_replaced() {
        for own in [
            "[operations.a]\nnoun = \"theirs\"\n",
            "operations = 1\n",
            "[operations]\na = 1\n",
        ] {
            let mut file = overlay(own);
            assert!(!file.add(&noun("a")));
            assert_eq!(file.text(), own);
        }
        for own in ["exclude = 'a'\n", "[exclude]\n"] {
            let mut file = overlay(own);
            assert!(!file.add(&fix("a", Change::Exclude)));
            assert_eq!(file.text(), own);
        }
    }

    #[test]
    fn exclusions_are_added_where_toml_has_the_keys_of_the_root() {
        let fix = fix("a", Change::Exclude);
        let list = "exclude = [\n    # two tools\n    \"a\",\n]\n";
        for (before, after) in [
            ("[pin]\n", "LIST\n[pin]\n"),
            (
                "#:schema ../a.json\n[pin]\n",
                "#:schema ../a.json\nLIST\n[pin]\n",
            ),
            (
                "# Ours.\n\n# pins\n[pin]\n",
                "# Ours.\n\nLIST\n# pins\n[pin]\n",
            ),
            ("# pins\n[pin]\n", "LIST\n# pins\n[pin]\n"),
            (
                "hide = [] # none\n\n[pin]\n",
                "hide = [] # none\nLIST\n[pin]\n",
            ),
            ("exclude = []\n", "LIST"),
            (
                "exclude = ['b'] # theirs\n",
                "exclude = ['b',\n    # two tools\n    \"a\",\n] # theirs\n",
            ),
            (
                "exclude = [\n  'b', # b\n  # the end\n]\n",
                "exclude = [\n  'b', # b\n  # the end\n    # two tools\n    \"a\",\n]\n",
            ),
        ] {
            assert_added(before, &fix, &after.replace("LIST", list));
        }
    }
}

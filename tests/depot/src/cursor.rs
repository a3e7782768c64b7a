//! Cursors: opaque strings that name a list and a position in it.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::error::{ApiError, Code};

/// The lists with pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Items,
    Comments,
}

/// The requested part of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// The entry before the page; 0 for the first page.
    pub(crate) after: i64,
    /// The maximum number of entries.
    pub(crate) limit: usize,
}

impl List {
    const fn word(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Comments => "comments",
        }
    }

    /// Returns the cursor that continues after an entry.
    pub(crate) fn cursor_after(self, entry: i64) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}:{entry}", self.word()))
    }

    /// Returns the entry that a cursor continues after. Rejects the cursors of other lists.
    pub(crate) fn entry_of(self, cursor: &str) -> Result<i64, ApiError> {
        let read = || {
            let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
            let text = String::from_utf8(bytes).ok()?;
            let (list, entry) = text.split_once(':')?;
            (list == self.word()).then(|| entry.parse().ok()).flatten()
        };
        read().ok_or_else(|| {
            let message = "the cursor does not come from a page of this list";
            ApiError::new(Code::InvalidParameter, message).with_field("cursor")
        })
    }

    /// Cuts a page that was read with one extra entry, and returns the cursor of the next page.
    pub(crate) fn cut<T>(self, mut rows: Vec<(i64, T)>, limit: usize) -> (Vec<T>, Option<String>) {
        let more = rows.len() > limit;
        rows.truncate(limit);
        let last = rows.last().map(|(entry, _)| *entry);
        let next = last.filter(|_| more).map(|entry| self.cursor_after(entry));
        (rows.into_iter().map(|(_, row)| row).collect(), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_valid_only_for_their_list() {
        let cursor = List::Items.cursor_after(42);
        assert_eq!(List::Items.entry_of(&cursor).unwrap(), 42);
        assert!(List::Comments.entry_of(&cursor).is_err());
        for bad in ["", "42", "~", "aXRlbXM6eA"] {
            assert!(List::Items.entry_of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_full_pages_have_a_next_page() {
        let rows = vec![(1, 'a'), (2, 'b'), (3, 'c')];
        let (page, next) = List::Items.cut(rows.clone(), 2);
        assert_eq!(page, ['a', 'b']);
        assert_eq!(next, Some(List::Items.cursor_after(2)));
        assert_eq!(List::Items.cut(rows, 3).1, None);
    }
}

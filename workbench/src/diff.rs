//! Unified diffs.

use std::time::Duration;

use similar::TextDiffConfig;

/// The longest diff of an answer, in bytes.
const LONGEST: usize = 64 << 10;

/// The longest time to look for a short diff. After it, the diff is correct and longer than necessary.
const PATIENCE: Duration = Duration::from_millis(500);

/// A side of a diff: the content of a file, or none if there is no file.
pub(crate) type Side<'a> = Option<&'a [u8]>;

/// Returns the unified diff of a file, as text for an agent. A long one is cut, and says so.
pub(crate) fn unified(path: &str, old: Side<'_>, new: Side<'_>) -> String {
    let text = |side: Side<'_>| str::from_utf8(side.unwrap_or_default()).map(str::to_owned);
    let (Ok(before), Ok(after)) = (text(old), text(new)) else {
        return format!("Binary file {path} differs\n");
    };
    let name = |prefix: &str, side: Side<'_>| match side {
        Some(_) => format!("{prefix}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let mut config = TextDiffConfig::default();
    config.timeout(PATIENCE);
    let diff = config.diff_lines(before.as_str(), after.as_str());
    let mut unified = diff.unified_diff();
    unified.header(&name("a", old), &name("b", new));
    cut(unified.to_string())
}

/// Cuts a diff at the end of a line.
fn cut(mut diff: String) -> String {
    if diff.len() <= LONGEST {
        return diff;
    }
    let whole = diff.len();
    let end = diff.floor_char_boundary(LONGEST);
    diff.truncate(end);
    let end = diff.rfind('\n').map_or(0, |at| at + 1);
    diff.truncate(end);
    diff + &format!("\\ {} bytes of the diff are left out\n", whole - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_both_sides() {
        for (old, new, expected) in [
            (
                Some("a\nb\n"),
                Some("a\nc\n"),
                "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
            ),
            (
                None,
                Some("a\n"),
                "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n",
            ),
            (
                Some("a"),
                None,
                "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n",
            ),
        ] {
            let diff = unified("f", old.map(str::as_bytes), new.map(str::as_bytes));
            assert_eq!(diff, expected);
        }
        assert_eq!(unified("f", Some(b"\xff"), None), "Binary file f differs\n");
    }

    #[test]
    fn a_long_diff_is_cut_at_a_line_and_says_so() {
        let long = "a line of text\n".repeat(10_000);
        let diff = unified("f", None, Some(long.as_bytes()));
        assert!(diff.len() < LONGEST + 100);
        assert!(
            diff.ends_with(" bytes of the diff are left out\n"),
            "{diff}"
        );
    }
}

//! Names of arguments: unique in their tool, and names that every model provider takes.

use std::collections::BTreeSet;

/// The longest name of a property that providers take, in characters.
const LONGEST: usize = 64;

/// The names of a tool's arguments, each given once.
///
/// An argument has its wire name if possible. Characters that providers reject become `_`, so
/// `filter[name]` is `filter_name`. If two have the same name, the one that is claimed later gets
/// its location as a prefix: `body_id`, `query_id`; if that is taken too, a number follows.
#[derive(Debug, Default)]
pub(super) struct ArgumentNames {
    taken: BTreeSet<String>,
}

impl ArgumentNames {
    /// Returns the name of an argument with the wire name `wire` in the location `place`.
    pub(super) fn claim(&mut self, wire: &str, place: &str) -> String {
        let plain = sanitised(wire);
        let placed = sanitised(&format!("{place}_{plain}"));
        let numbered = (2u32..).map(|number| {
            let end = format!("_{number}");
            let room = LONGEST - end.len();
            format!(
                "{}{end}",
                placed.get(..room.min(placed.len())).unwrap_or_default()
            )
        });
        let name = [plain, placed.clone()]
            .into_iter()
            .chain(numbered)
            .find(|name| !self.taken.contains(name))
            .unwrap_or(placed);
        self.taken.insert(name.clone());
        name
    }
}

/// The name with only letters, digits, `_`, `.` and `-`, and not too long.
fn sanitised(wire: &str) -> String {
    let mut name = String::new();
    for character in wire.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' | '-' => name.push(character),
            _ if name.is_empty() || name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    if !wire.ends_with('_') {
        name.truncate(name.trim_end_matches('_').len());
    }
    name.truncate(LONGEST);
    if name.is_empty() {
        name.push_str("value");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unambiguous_names_are_unchanged() {
        for (wire, name) in [
            ("id", "id"),
            ("_id", "_id"),
            ("X-Request-Id", "X-Request-Id"),
            ("filter[name]", "filter_name"),
            ("ids[]", "ids"),
            ("$top", "top"),
            ("a b", "a_b"),
            ("é", "value"),
            ("", "value"),
        ] {
            assert_eq!(sanitised(wire), name, "{wire}");
        }
        assert_eq!(sanitised(&"x".repeat(100)).len(), LONGEST);
    }

    #[test]
    fn names_are_unique() {
        let mut names = ArgumentNames::default();
        assert_eq!(names.claim("id", "path"), "id");
        assert_eq!(names.claim("id", "body"), "body_id");
        assert_eq!(names.claim("body_id", "body"), "body_body_id");
        assert_eq!(names.claim("id", "body"), "body_id_2");
        let long = "x".repeat(70);
        let all: BTreeSet<String> = (0..3).map(|_| names.claim(&long, "query")).collect();
        assert_eq!(all.len(), 3);
        assert!(all.iter().all(|name| name.len() <= LONGEST));
    }
}

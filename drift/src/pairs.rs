//! The matching of old and new tools.

use std::collections::BTreeMap;

use toolwright_model::Method;

use super::inventory::Tool;

/// The tools of both sides, matched.
#[derive(Debug, Default)]
pub(super) struct Pairs<'a> {
    /// The tools of both sides, ordered by their new names.
    pub(super) matched: Vec<(&'a Tool, &'a Tool)>,
    pub(super) removed: Vec<&'a Tool>,
    pub(super) added: Vec<&'a Tool>,
}

/// The marks that match two tools, the most reliable first.
const RULES: [fn(&Tool) -> Option<Mark<'_>>; 4] = [
    |tool| {
        tool.request()
            .map(|(method, path)| Mark::Request(method, path.into_owned()))
    },
    |tool| {
        tool.request()
            .map(|(method, path)| Mark::Request(method, template(&path)))
    },
    |tool| tool.origin().operation_id.as_deref().map(Mark::Id),
    |tool| Some(Mark::Name(tool.name().as_str())),
];

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Mark<'a> {
    Request(Method, String),
    Id(&'a str),
    Name(&'a str),
}

impl<'a> Pairs<'a> {
    /// Matches by method and path, ignoring the names of the path's parameters; then by the
    /// operation id; then by the name. A match by an earlier rule is final, and a mark that several
    /// tools of a side share matches none of them.
    pub(super) fn new(old: &'a [Tool], new: &'a [Tool]) -> Self {
        let mut pairs = Self {
            removed: old.iter().collect(),
            added: new.iter().collect(),
            ..Self::default()
        };
        for rule in RULES {
            pairs.apply(rule);
        }
        pairs
            .matched
            .sort_by(|(_, a), (_, b)| a.name().cmp(b.name()));
        pairs
    }

    fn apply(&mut self, rule: fn(&Tool) -> Option<Mark<'_>>) {
        let olds = unique(&self.removed, rule);
        let news = unique(&self.added, rule);
        for (mark, old) in olds {
            let Some(new) = news.get(&mark) else {
                continue;
            };
            self.removed.retain(|tool| !std::ptr::eq(*tool, old));
            self.added.retain(|tool| !std::ptr::eq(*tool, *new));
            self.matched.push((old, new));
        }
    }
}

/// Returns the tools with a unique mark, by service and mark.
fn unique<'a>(
    tools: &[&'a Tool],
    rule: fn(&Tool) -> Option<Mark<'_>>,
) -> BTreeMap<(&'a str, Mark<'a>), &'a Tool> {
    let mut found: BTreeMap<_, Option<&Tool>> = BTreeMap::new();
    for &tool in tools {
        if let Some(mark) = rule(tool) {
            let key = (tool.service().as_str(), mark);
            found
                .entry(key)
                .and_modify(|tool| *tool = None)
                .or_insert(Some(tool));
        }
    }
    let found = found.into_iter();
    found
        .filter_map(|(mark, tool)| Some((mark, tool?)))
        .collect()
}

/// Removes the names of the path's parameters.
pub(super) fn template(path: &str) -> String {
    let mut template = String::new();
    let mut inside = false;
    for c in path.chars() {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            _ if inside => continue,
            _ => {}
        }
        template.push(c);
    }
    template.truncate(template.trim_end_matches('/').len());
    template
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_compared_without_the_names_of_its_parameters() {
        assert_eq!(template("/a/{b}/c:{d}"), "/a/{}/c:{}");
        assert_eq!(template("/a/"), "/a");
    }
}

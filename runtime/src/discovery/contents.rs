//! The table of contents of a view: its services and sections, and the names of its tools if they are
//! few.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use toolwright_model::texts::line;

use crate::ToolSpec;

/// The longest table of contents, in bytes.
const LONGEST: usize = 1_500;

/// The longest name of a section, in characters.
const LONGEST_SECTION: usize = 40;

/// Returns the table of contents: the names of all tools if they fit, otherwise the number of tools in
/// each section, otherwise that of each service.
pub(super) fn contents(tools: &[Arc<ToolSpec>]) -> String {
    let mut services: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for spec in tools {
        let sections = services.entry(spec.service.as_str()).or_default();
        let section = line(&spec.section, LONGEST_SECTION);
        sections
            .entry(section)
            .or_default()
            .push(spec.name.as_str());
    }
    let named = services.iter().map(|(service, sections)| {
        let names: Vec<&str> = sections.values().flatten().copied().collect();
        format!("{service}: {}", names.join(", "))
    });
    let counted = services.iter().map(|(service, sections)| {
        let counts = sections.iter();
        let counts = counts.map(|(section, names)| format!("{section} {}", names.len()));
        format!("{service}: {}", counts.collect::<Vec<_>>().join(", "))
    });
    let totals = services.iter().map(|(service, sections)| {
        format!(
            "{service} {}",
            sections.values().map(Vec::len).sum::<usize>()
        )
    });
    let beginning = format!(
        "Before other tools: there are {} tools that are not listed. ",
        tools.len()
    );
    for parts in [named.collect::<Vec<_>>(), counted.collect()] {
        let text = format!("{beginning}{}.", parts.join("; "));
        if text.len() <= LONGEST {
            return text;
        }
    }
    within(beginning, totals)
}

/// Adds as many parts as fit, and the number of the others.
fn within(mut text: String, parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    let mut rest = parts.as_slice();
    while let [part, others @ ..] = rest {
        if text.len() + part.len() > LONGEST {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "and {} more services", rest.len());
            break;
        }
        text.push_str(part);
        if !others.is_empty() {
            text.push_str(", ");
        }
        rest = others;
    }
    text.push('.');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, ServiceName, ToolName, render::tests::spec};

    fn tool(service: &str, section: &str, number: usize) -> Arc<ToolSpec> {
        Arc::new(ToolSpec {
            name: ToolName::new(format!("get-{service}-item{number}")).unwrap(),
            service: ServiceName::new(service).unwrap(),
            section: section.to_owned(),
            ..spec(Kind::Read, None)
        })
    }

    #[test]
    fn few_tools_are_named() {
        let tools = [tool("board", "Boards", 1), tool("depot", "Items", 2)];
        assert_eq!(
            contents(&tools),
            "Before other tools: there are 2 tools that are not listed. board: get-board-item1; \
             depot: get-depot-item2."
        );
    }

    #[test]
    fn many_tools_are_counted_by_section_and_very_many_by_service() {
        let tools: Vec<_> = (0..200)
            .map(|n| tool("depot", ["Bins", "Items"][n % 2], n))
            .collect();
        assert!(contents(&tools).ends_with(" depot: Bins 100, Items 100."));
        let tools: Vec<_> = (0..200)
            .map(|n| tool("depot", &format!("Section {n}"), n))
            .collect();
        assert!(contents(&tools).ends_with(" depot 200."));
        let tools: Vec<_> = (0..500)
            .map(|n| tool(&format!("service{n}"), "Items", n))
            .collect();
        let text = contents(&tools);
        assert!(
            text.len() < LONGEST + 40 && text.ends_with(" more services."),
            "{text}"
        );
    }
}

//! Parses TOML into a tree.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Data, Field, Fields, Node, builder::too_deep, json::number};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId},
    tree::DEEPEST,
};

/// Parses TOML.
///
/// Reports all syntax errors and returns `None` if there are any.
pub fn read(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Option<Node> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        let whole = Place::new(source, 0, text.len());
        return self::table(source, whole, table.get_ref(), 0)
            .map_err(|error| diagnostics.report(error))
            .ok();
    }
    for error in errors {
        let span = error.span().unwrap_or_default();
        let place = Place::new(source, span.start, span.end);
        diagnostics.report(Diagnostic::error(Code::Syntax, place, error.message()));
    }
    None
}

type Read = Result<Node, Box<Diagnostic>>;

fn value(source: SourceId, spanned: &Spanned<DeValue<'_>>, depth: usize) -> Read {
    let span = spanned.span();
    let place = Place::new(source, span.start, span.end);
    let data = match spanned.get_ref() {
        DeValue::String(text) => Data::String(text.to_string()),
        DeValue::Boolean(value) => Data::Bool(*value),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or_else(
                |_| Data::String(integer.to_string()),
                |value| Data::Number(value.into()),
            ),
        DeValue::Float(float) => number(float.as_str()),
        DeValue::Datetime(datetime) => Data::String(datetime.to_string()),
        DeValue::Array(items) => {
            check_depth(place, depth)?;
            let items = items.iter().map(|item| value(source, item, depth + 1));
            Data::Array(items.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => return self::table(source, place, table, depth),
    };
    Ok(Node { place, data })
}

/// Reads a table, with its keys in file order.
fn table(source: SourceId, place: Place, table: &DeTable<'_>, depth: usize) -> Read {
    check_depth(place, depth)?;
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let fields = entries.into_iter().map(|(key, entry)| {
        let span = key.span();
        let field = Field {
            key: Place::new(source, span.start, span.end),
            node: value(source, entry, depth + 1)?,
        };
        Ok((key.get_ref().to_string(), field))
    });
    let fields = fields.collect::<Result<Fields, Box<Diagnostic>>>()?;
    let data = Data::Object(Box::new(fields));
    Ok(Node { place, data })
}

fn check_depth(place: Place, depth: usize) -> Result<(), Box<Diagnostic>> {
    if depth >= DEEPEST {
        return Err(too_deep(place));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::source::Sources;

    #[test]
    fn toml_becomes_a_tree_with_positions() {
        let text = "b = 1\n[a.\"x y\"]\nc = [1.5, true, \"t\", 2020-01-02]\n";
        let mut sources = Sources::new();
        let id = sources.add("a.toml", text);
        let mut diagnostics = Diagnostics::default();
        let root = read(id, text, &mut diagnostics).unwrap();
        assert_eq!(
            root.to_value(),
            json!({"b": 1, "a": {"x y": {"c": [1.5, true, "t", "2020-01-02"]}}})
        );
        let key = root.get("a").unwrap().field("x y").unwrap().key;
        assert_eq!(sources.text(key), Some("\"x y\""));
    }

    #[test]
    fn every_fault_is_reported() {
        let text = "a = \nb = [1\nc d = 2\n";
        let mut diagnostics = Diagnostics::default();
        let id = Sources::new().add("a.toml", text);
        assert!(read(id, text, &mut diagnostics).is_none());
        assert!(diagnostics.sorted().len() >= 2);
    }
}

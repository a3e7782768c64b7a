//! Parses YAML 1.2 into a tree.
//!
//! The events come from `saphyr-parser`. Scalars are resolved by the core schema. Keys are strings
//! in their source form (`200:` is `"200"`), `<<` merges, and tags outside of the core schema are
//! ignored. A file contains one document. One fault is read leniently: a flow collection that is indented
//! too little.

mod anchors;
mod core_schema;
mod offsets;
mod outdented;

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use self::{anchors::Anchors, offsets::Offsets, outdented::Position};
use super::{
    Data, Node,
    builder::{Builder, DEEPEST, Within, too_deep},
};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId},
};

/// The parser's error for 256 nested brackets. The parser looks ahead, so the error can occur
/// before the tree is that deep.
const FLOW_TOO_DEEP: &str = "recursion limit exceeded";

/// Parses YAML.
///
/// Duplicate keys are reported to `diagnostics`; the last one wins. Flow collections that are indented
/// less than their block are reported and read.
///
/// # Errors
/// Fails at the first syntax error, if the nesting is too deep, if aliases expand beyond the limit,
/// and if there is a second document.
pub(crate) fn read(
    source: SourceId,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Result<Node, Box<Diagnostic>> {
    let offsets = Offsets::new(text);
    let mut joined = Cow::Borrowed(text);
    let mut passes = 0..outdented::most_collections(text);
    loop {
        let mut said = Diagnostics::default();
        let mut reader = YamlReader::new(source, &joined, &offsets, &mut said);
        let (error, outdented) = match reader.read() {
            Ok(()) => {
                let node = reader.builder.finish();
                diagnostics.append(said);
                return Ok(node.unwrap_or_else(|| Node {
                    place: Place::start_of(source),
                    data: Data::Null,
                }));
            }
            Err(error) => (error, reader.outdented.filter(|_| passes.next().is_some())),
        };
        let at = error.primary.place.start as usize;
        let Some((start, next)) = outdented.and_then(|start| {
            let next = outdented::on_one_line(&joined, &offsets, start, at)?;
            Some((start, next))
        }) else {
            return Err(error);
        };
        diagnostics.report(outdented_at(Place::new(source, start.byte, start.byte + 1)));
        joined = Cow::Owned(next);
    }
}

struct YamlReader<'t, 'd> {
    source: SourceId,
    text: &'t str,
    offsets: &'t Offsets<'t>,
    events: Parser<'t, StrInput<'t>>,
    builder: Builder<'d>,
    anchors: Anchors,
    /// The anchor of each open container; 0 means none.
    open: Vec<usize>,
    /// The end of the last scalar or closing bracket, which is the end of a block that ends by its
    /// indentation.
    behind: u32,
    /// The outermost open flow collection, and the number of containers around it.
    flow: Option<(Position, usize)>,
    /// The end of the last event.
    reached: Position,
    /// The flow collection whose indentation the parser rejected.
    outdented: Option<Position>,
}

impl<'t, 'd> YamlReader<'t, 'd> {
    fn new(
        source: SourceId,
        text: &'t str,
        offsets: &'t Offsets<'t>,
        diagnostics: &'d mut Diagnostics,
    ) -> Self {
        Self {
            source,
            text,
            offsets,
            events: Parser::new_from_str(text),
            builder: Builder::new(diagnostics),
            anchors: Anchors::default(),
            open: Vec::new(),
            behind: 0,
            flow: None,
            reached: Position::default(),
            outdented: None,
        }
    }

    fn read(&mut self) -> Result<(), Box<Diagnostic>> {
        self.read_document()?;
        self.read_rest()
    }

    fn read_document(&mut self) -> Result<(), Box<Diagnostic>> {
        while let Some((event, place)) = self.next()? {
            match event {
                Event::DocumentEnd | Event::StreamEnd => break,
                Event::Scalar(text, style, anchor, tag) => {
                    self.behind = self.behind.max(place.end);
                    self.scalar(&text, style, anchor, tag.as_deref(), place);
                }
                Event::Alias(anchor) => self.alias(anchor, place)?,
                Event::SequenceStart(anchor, _) => {
                    self.check_key(place)?;
                    self.builder.open_array(place)?;
                    self.open.push(anchor);
                }
                Event::MappingStart(anchor, _) => {
                    self.check_key(place)?;
                    self.builder.open_object(place)?;
                    self.open.push(anchor);
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(place),
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => {}
            }
        }
        Ok(())
    }

    /// Checks that only empty documents and the end of the stream follow the document.
    fn read_rest(&mut self) -> Result<(), Box<Diagnostic>> {
        while let Some((event, place)) = self.next()? {
            let empty = match &event {
                Event::Scalar(text, ..) => text.is_empty(),
                Event::Alias(_) | Event::SequenceStart(..) | Event::MappingStart(..) => false,
                Event::StreamEnd => return Ok(()),
                _ => true,
            };
            if !empty {
                let message = "expected one YAML document, found a second one";
                return Err(Box::new(
                    self.syntax(place, message.to_owned())
                        .help("put each document into a separate file"),
                ));
            }
        }
        Ok(())
    }

    /// Returns the next event and its place in bytes.
    fn next(&mut self) -> Result<Option<(Event<'t>, Place)>, Box<Diagnostic>> {
        match self.events.next_event() {
            None => Ok(None),
            Some(Ok((event, span))) => {
                self.follow(&event, span);
                Ok(Some((event, self.place(span))))
            }
            Some(Err(error)) => Err(self.scan_error(&error)),
        }
    }

    /// Notes the outermost flow collection. Only the brackets of a flow collection have a length.
    fn follow(&mut self, event: &Event<'_>, span: Span) {
        let around = self.open.len();
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) if !span.is_empty() => {
                let start = self.position(span.start.index());
                self.flow.get_or_insert((start, around));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.flow = self.flow.filter(|(_, outside)| outside + 1 < around);
            }
            _ => {}
        }
        self.reached = self.position(span.end.index());
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        place: Place,
    ) {
        let is_key = self.builder.within() == Within::ObjectKey;
        let data = if is_key {
            // The parser's own string has room for more.
            Data::String(text.to_owned())
        } else {
            core_schema::resolve(text, style == ScalarStyle::Plain, tag)
        };
        let node = Node { place, data };
        self.anchors.define(anchor, &node);
        self.value(node);
    }

    fn alias(&mut self, anchor: usize, place: Place) -> Result<(), Box<Diagnostic>> {
        self.behind = self.behind.max(place.end);
        let found = self.anchors.expand(anchor, place)?;
        if self.builder.depth() + found.height > DEEPEST {
            return Err(too_deep(place));
        }
        if self.builder.within() == Within::ObjectKey && found.height > 0 {
            self.check_key(place)?;
        }
        self.value(found.node);
        Ok(())
    }

    fn close(&mut self, end: Place) {
        self.behind = self.behind.max(end.end * u32::from(end.end > end.start));
        let end = Place {
            end: self.behind,
            ..end
        };
        let anchor = self.open.pop().unwrap_or_default();
        if let Some(mut node) = self.builder.close(end) {
            merge(&mut node);
            self.anchors.define(anchor, &node);
            self.value(node);
        }
    }

    fn value(&mut self, node: Node) {
        if self.builder.within() == Within::ObjectKey {
            self.builder.key(key_text(node.data), node.place);
        } else {
            self.builder.value(node);
        }
    }

    /// Checks that a key is not an object or an array, which JSON's data model does not allow.
    fn check_key(&self, place: Place) -> Result<(), Box<Diagnostic>> {
        if self.builder.within() == Within::ObjectKey {
            let message = "a key must be a scalar, not an object or an array";
            return Err(Box::new(
                self.syntax(place, message.to_owned())
                    .help("quote it if it is meant as a string"),
            ));
        }
        Ok(())
    }

    fn place(&self, span: Span) -> Place {
        Place::new(
            self.source,
            self.offsets.byte(span.start.index()),
            self.offsets.byte(span.end.index()),
        )
    }

    fn position(&self, character: usize) -> Position {
        Position {
            character,
            byte: self.offsets.byte(character),
        }
    }

    fn scan_error(&mut self, error: &ScanError) -> Box<Diagnostic> {
        let at = self.offsets.byte(error.marker().index());
        if outdented::is_outdented(error) {
            let open = self.flow.map(|(start, _)| start);
            self.outdented =
                open.or_else(|| outdented::bracket_between(self.text, self.reached, at));
        }
        let place = Place::new(self.source, at, at);
        if error.info() == FLOW_TOO_DEEP {
            return too_deep(place);
        }
        Box::new(self.syntax(place, error.info().to_owned()))
    }

    fn syntax(&self, place: Place, message: String) -> Diagnostic {
        Diagnostic::error(Code::Syntax, place, message)
    }
}

/// Creates the warning about a collection that is read although it is indented too little.
fn outdented_at(place: Place) -> Diagnostic {
    let message = "the lines of this collection are indented less than the block that contains it";
    Diagnostic::warning(Code::Syntax, place, message)
        .note("YAML forbids it, and several readers reject the document")
        .help("indent each of its lines, and the closing bracket, deeper than its key")
}

/// Returns a scalar as a key, if an alias is used as a key.
fn key_text(data: Data) -> String {
    match data {
        Data::String(text) => text,
        Data::Bool(value) => value.to_string(),
        Data::Number(number) => number.to_string(),
        Data::Null | Data::Array(_) | Data::Object(_) => "null".to_owned(),
    }
}

/// Appends the fields of the `<<` targets. The object's own fields take precedence.
fn merge(node: &mut Node) {
    let Data::Object(fields) = &mut node.data else {
        return;
    };
    let Some(merged) = fields.shift_remove("<<") else {
        return;
    };
    let sources = match merged.node.data {
        Data::Array(items) => items,
        _ => vec![merged.node],
    };
    for source in sources {
        if let Data::Object(more) = source.data {
            for (key, field) in *more {
                fields.entry(key).or_insert(field);
            }
        }
    }
}

#[cfg(test)]
mod tests;

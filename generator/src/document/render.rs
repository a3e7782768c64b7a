//! Renders diagnostics as text for people and as JSON for programs.

mod excerpt;

use std::collections::BTreeMap;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use serde_json::{Value, json};
use toolwright_model::text::show_invisible;

use crate::document::{
    diagnostic::{Diagnostic, Label, Severity},
    documents::Documents,
    fix::{Change, Fix},
    source::{Place, Sources},
};
use excerpt::Excerpt;

/// The style of rendered text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Without colours.
    #[default]
    Plain,
    /// With colours, by ANSI escape sequences.
    Coloured,
}

/// Renders the diagnostics, each followed by an empty line.
#[must_use]
pub fn text(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    documents: &Documents,
    style: Style,
) -> String {
    let rendered = diagnostics.iter().map(|diagnostic| {
        let rendered = render_one(diagnostic, sources, documents, style);
        format!("{rendered}\n\n")
    });
    rendered.collect()
}

/// Counts the errors and warnings: `2 errors, 1 warning`. Returns an empty string if there are
/// none.
#[must_use]
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let counts = [Severity::Error, Severity::Warning].map(|severity| {
        let count = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .count();
        let plural = if count == 1 { "" } else { "s" };
        (count, format!("{count} {}{plural}", severity.word()))
    });
    let said = counts.into_iter().filter(|(count, _)| *count > 0);
    said.map(|(_, text)| text).collect::<Vec<_>>().join(", ")
}

/// Renders a diagnostic as an object: `code`, `severity`, `message`, `file`, `line`, `column`,
/// `pointer`, `help`, `notes`, `also` with the other places, and `fix` with the missing line of the
/// overlay, if there is one.
#[must_use]
pub fn json(diagnostic: &Diagnostic, sources: &Sources, documents: &Documents) -> Value {
    let diagnostic = &escaped(diagnostic);
    let mut object = json!({
        "code": diagnostic.code.word(),
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
    });
    let also: Vec<Value> = diagnostic
        .secondary
        .iter()
        .map(|label| {
            let mut other = position(label.place, sources, documents);
            merge(&mut other, json!({"label": label.text}));
            other
        })
        .collect();
    merge(
        &mut object,
        position(diagnostic.primary.place, sources, documents),
    );
    let rest = json!({"help": diagnostic.help.join("\n"), "notes": diagnostic.notes, "also": also});
    merge(&mut object, rest);
    if let Some(fix) = &diagnostic.fix {
        merge(&mut object, json!({ "fix": fix_json(fix) }));
    }
    object
}

/// Renders a missing line as an object: `service`, `selector`, `reason`, and the keys to `set` or
/// `exclude`.
#[must_use]
pub fn fix_json(fix: &Fix) -> Value {
    let mut object = json!({
        "service": fix.service.as_str(),
        "selector": fix.selector,
        "reason": fix.reason,
    });
    let change = match &fix.change {
        Change::Set(keys) => {
            let keys = keys.iter().map(|(key, value)| (*key, value.as_str()));
            json!({ "set": keys.collect::<BTreeMap<_, _>>() })
        }
        Change::Exclude => json!({ "exclude": true }),
    };
    merge(&mut object, change);
    object
}

fn position(place: Place, sources: &Sources, documents: &Documents) -> Value {
    let at = sources.line_column(place);
    json!({
        "file": sources.path(place.source),
        "line": at.line,
        "column": at.column,
        "pointer": documents.pointer(place).map(String::from),
    })
}

fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

fn render_one(
    diagnostic: &Diagnostic,
    sources: &Sources,
    documents: &Documents,
    style: Style,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let diagnostic = &escaped(diagnostic);
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.word());
    let mut group = Group::with_title(title);
    let primary = std::iter::once((&diagnostic.primary, AnnotationKind::Primary));
    let others = diagnostic.secondary.iter();
    for (label, kind) in primary.chain(others.map(|label| (label, AnnotationKind::Context))) {
        group = group.element(annotation(label, kind, sources));
    }
    let place = diagnostic.primary.place;
    // In a line of megabytes, a column is hard to find.
    if Excerpt::new(place, sources).cut
        && let Some(pointer) = documents.pointer(place)
    {
        let pointer = show_invisible(pointer.as_str()).into_owned();
        group = group.element(Level::NOTE.message(format!("its JSON Pointer is `{pointer}`")));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    with_whole_columns(renderer(style).render(&[group]), diagnostic, sources)
}

/// Escapes invisible characters in a diagnostic, because diagnostics quote documents.
fn escaped(diagnostic: &Diagnostic) -> Diagnostic {
    let mut diagnostic = diagnostic.clone();
    let labels = std::iter::once(&mut diagnostic.primary).chain(&mut diagnostic.secondary);
    let labels = labels.map(|label| &mut label.text);
    let texts = diagnostic.notes.iter_mut().chain(&mut diagnostic.help);
    for text in labels.chain([&mut diagnostic.message]) {
        *text = show_invisible(text).replace('\n', "\\n");
    }
    for text in texts {
        *text = show_invisible(text).into_owned();
    }
    diagnostic
}

fn renderer(style: Style) -> Renderer {
    match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    }
}

/// Renders the line of a label with its place marked.
fn annotation<'a>(label: &'a Label, kind: AnnotationKind, sources: &'a Sources) -> Element<'a> {
    let path = sources.path(label.place.source);
    let at = sources.line_column(label.place);
    let excerpt = Excerpt::new(label.place, sources);
    if excerpt.text.is_empty() {
        let origin = Origin::path(path).line(at.line as usize);
        return origin.char_column(at.column as usize).into();
    }
    let text = Some(label.text.as_str()).filter(|text| !text.is_empty());
    Snippet::source(excerpt.text)
        .line_start(at.line as usize)
        .path(path)
        .annotation(kind.span(excerpt.span).label(text))
        .into()
}

/// Corrects the columns of cut lines. The renderer shows only a part of a long line and prints the
/// column in that part. This function replaces it with the column in the whole line.
fn with_whole_columns(rendered: String, diagnostic: &Diagnostic, sources: &Sources) -> String {
    let primary = std::iter::once(&diagnostic.primary);
    primary
        .chain(&diagnostic.secondary)
        .fold(rendered, |rendered, label| {
            let excerpt = Excerpt::new(label.place, sources);
            if !excerpt.cut {
                return rendered;
            }
            let before = excerpt.text.get(..excerpt.span.start).unwrap_or_default();
            let at = sources.line_column(label.place);
            let path = sources.path(label.place.source);
            let said = format!("{path}:{}:{}", at.line, before.chars().count() + 1);
            rendered.replacen(&said, &format!("{path}:{at}"), 1)
        })
}

#[cfg(test)]
mod tests;

//! The path: a value for each placeholder, and the proof that no value has left its place.
//!
//! Services, and the proxies in front of them, decode a path before they route it: some once, some
//! twice, some after they have replaced look-alikes. So a value is judged by the reading of the
//! most lenient of them. `docs/requests.md` has the rules.

use toolwright_model::{
    Bound, HttpBinding, Location, Parameter, Serialization, Style, TemplatePart,
    path_fits_template, path_of_template, template_segments, text::remove_invisible,
};

use super::{
    PlanError, Values,
    decoded::{compatible, fully_decoded, is_decodable},
    encode::{self, literal},
    names::Taken,
    style::{expand, texts_of},
    target::{document, parameters, plan_value},
};

/// The characters that end a segment of a path, a part of a segment, or the path.
const SEPARATORS: [char; 4] = ['/', ';', '?', '#'];
/// The separators in their encoded form within a value.
const ENCODED_SEPARATORS: [&str; 4] = ["%2F", "%3B", "%3F", "%23"];
/// The replacement of an allowed separator when the structure of a path is compared.
const MASK: &str = "_";

/// A path, or a part of one.
#[derive(Default)]
struct PlannedPath {
    /// The encoded segment.
    text: String,
    /// The same with each separator masked that a value may contain.
    masked: String,
}

/// Plans the path below the base URL.
pub(super) fn plan_path(binding: &HttpBinding, values: Values<'_>) -> Result<String, PlanError> {
    let mut path = PlannedPath::default();
    for parts in template_segments(&binding.path) {
        path.push("/");
        path.append(&plan_segment(&parts, binding, values)?);
    }
    if let Some(parameter) = blamed_parameter(binding) {
        let refused = |message| Err(PlanError::value(&parameter.value, message));
        if !keeps_structure(&path.masked, &binding.path) {
            return refused("would change the path of the request");
        }
        if fits_another(&path.text, &binding.other_paths) {
            return refused("would make the request match another operation of the service");
        }
    }
    Ok(path.text)
}

/// Returns the parameter that is named when the path as a whole is refused.
fn blamed_parameter(binding: &HttpBinding) -> Option<&Parameter> {
    let is_argument = |parameter: &&Parameter| matches!(parameter.value, Bound::Argument(_));
    let all = || parameters(binding, Location::Path);
    all().filter(is_argument).last().or_else(|| all().last())
}

/// Plans one segment. A value can fill it, and can neither leave it nor make it vanish.
fn plan_segment(
    parts: &[TemplatePart<'_>],
    binding: &HttpBinding,
    values: Values<'_>,
) -> Result<PlannedPath, PlanError> {
    let mut segment = PlannedPath::default();
    let mut last = None;
    for (index, part) in parts.iter().enumerate() {
        match part {
            TemplatePart::Literal(text) => segment.push(&literal(text)),
            TemplatePart::Placeholder(name) => {
                let parameter = parameter(binding, name)?;
                let value = plan_placeholder(parameter, binding, values)?;
                let delimiters = delimiters(parts, index, binding);
                check_delimiters(parameter, values, &delimiters)?;
                segment.append(&value);
                last = Some(parameter);
            }
        }
    }
    match last {
        Some(parameter) if is_dots(&fully_decoded(&segment.text)) => {
            let message = "would change the path of the request";
            Err(PlanError::value(&parameter.value, message))
        }
        _ => Ok(segment),
    }
}

fn parameter<'a>(binding: &'a HttpBinding, name: &str) -> Result<&'a Parameter, PlanError> {
    parameters(binding, Location::Path)
        .find(|parameter| parameter.name == name)
        .ok_or_else(|| PlanError::Binding(format!("its path parameter `{{{name}}}` has no source")))
}

fn plan_placeholder(
    parameter: &Parameter,
    binding: &HttpBinding,
    values: Values<'_>,
) -> Result<PlannedPath, PlanError> {
    if let Some(value) = values.get(&parameter.value)? {
        for text in texts_of(value) {
            check_text(parameter, &text)?;
        }
    }
    let text = plan_value(parameter, values, |value| match &parameter.serialization {
        Serialization::Style { style, explode, .. } => {
            expand(&parameter.name, value, *style, *explode, encode::value)
        }
        Serialization::Content { content } => {
            document(content, value).map(|text| encode::value(&text))
        }
    })?;
    let text = text.filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| {
        PlanError::value(&parameter.value, "has no value, but the path requires it")
    })?;
    // Only the style `matrix` writes a `;` itself, and names with it.
    if text.starts_with(';') {
        Taken::check_parameter(binding, values, parameter, (&text, ';'))?;
    }
    let mut masked = text.replace(';', MASK);
    if parameter.separators.is_some() {
        for separator in ENCODED_SEPARATORS {
            masked = masked.replace(separator, MASK);
        }
    }
    Ok(PlannedPath { text, masked })
}

/// Checks a string that goes into the path, in its own and in its compatible form.
fn check_text(parameter: &Parameter, text: &str) -> Result<(), PlanError> {
    let read = compatible(text);
    let faults = [text, read.as_str()].map(|text| fault(text, parameter.separators.is_some()));
    match faults.into_iter().flatten().next() {
        Some(fault) => Err(PlanError::value(&parameter.value, fault)),
        None => Ok(()),
    }
}

fn fault(text: &str, separators: bool) -> Option<String> {
    let is_control = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.contains(is_control) {
        return Some("has a control character, which is invalid in a path".to_owned());
    }
    if text.contains('\\') {
        return Some("has a backslash, which some services read as `/`".to_owned());
    }
    if is_decodable(text) {
        let message = "has a percent-encoded character; write the character itself";
        return Some(message.to_owned());
    }
    if !separators {
        let separator = text.chars().find(|c| SEPARATORS.contains(c))?;
        return Some(format!(
            "has `{separator}`, which would change the path of the request"
        ));
    }
    let parts = text.split('/').map(|segment| {
        let end = segment.split(SEPARATORS).next();
        end.unwrap_or_default()
    });
    let mut parts = parts;
    parts
        .any(is_dots)
        .then(|| "has an empty, `.` or `..` segment".to_owned())
}

/// Returns whether a service that resolves paths drops or resolves a segment: it is empty or
/// consists of dots and spaces.
fn is_dots(segment: &str) -> bool {
    let segment = remove_invisible(segment);
    segment.chars().all(|c| c == '.' || c.is_whitespace())
}

/// Returns the strings that separate a placeholder from the others of its segment.
fn delimiters(parts: &[TemplatePart<'_>], index: usize, binding: &HttpBinding) -> Vec<String> {
    let is_placeholder = |part: &TemplatePart<'_>| matches!(part, TemplatePart::Placeholder(_));
    let (before, after) = parts.split_at(index);
    let after = after.get(1..).unwrap_or_default();
    let mut found = Vec::new();
    if before.iter().any(is_placeholder) {
        let own = parts
            .get(index)
            .and_then(|part| first_of_style(part, binding));
        found.extend(text_between(before.last()).or(own));
    }
    if after.iter().any(is_placeholder) {
        let next = after.first().and_then(|part| first_of_style(part, binding));
        found.extend(text_between(after.first()).or(next));
    }
    found
}

fn text_between(part: Option<&TemplatePart<'_>>) -> Option<String> {
    match part? {
        TemplatePart::Literal(text) => Some((*text).to_owned()),
        TemplatePart::Placeholder(_) => None,
    }
}

/// Returns the prefix that a placeholder's style adds.
fn first_of_style(part: &TemplatePart<'_>, binding: &HttpBinding) -> Option<String> {
    let TemplatePart::Placeholder(name) = part else {
        return None;
    };
    match parameter(binding, name).ok()?.serialization {
        Serialization::Style {
            style: Style::Label,
            ..
        } => Some(".".to_owned()),
        _ => None,
    }
}

/// Checks that a value does not contain the delimiter of the value next to it: the service could
/// take a piece of one for a piece of the other.
fn check_delimiters(
    parameter: &Parameter,
    values: Values<'_>,
    delimiters: &[String],
) -> Result<(), PlanError> {
    if parameter.separators.is_some() {
        return Ok(());
    }
    let value = values
        .get(&parameter.value)?
        .map(texts_of)
        .unwrap_or_default();
    let text = compatible(&value.concat()).to_lowercase();
    let mut delimiters = delimiters.iter();
    match delimiters.find(|delimiter| text.contains(&compatible(delimiter).to_lowercase())) {
        Some(delimiter) => {
            let message =
                format!("has `{delimiter}`, which separates it from the next value in the path");
            Err(PlanError::value(&parameter.value, message))
        }
        None => Ok(()),
    }
}

/// Returns whether a path keeps the segments and the literal parts of its template, however it is
/// decoded.
fn keeps_structure(masked: &str, template: &str) -> bool {
    let path = fully_decoded(masked);
    let segments = template_segments(template);
    let literals = segments.iter().flatten().filter_map(|part| match part {
        TemplatePart::Literal(text) => Some(*text),
        TemplatePart::Placeholder(_) => None,
    });
    let literals = fully_decoded(&literal(&literals.collect::<Vec<_>>().join(" ")));
    let marks = |text: &str, mark: char| text.chars().filter(|c| *c == mark).count();
    let slashes = marks(&literals, '/') + segments.len();
    let others = ['\\', ';', '?', '#'];
    marks(&path, '/') == slashes
        && others
            .iter()
            .all(|mark| marks(&path, *mark) == marks(&literals, *mark))
        && controls(&path) == controls(&literals)
        && path_fits_template(&without_marks(&path), &pattern(template))
}

fn controls(text: &str) -> usize {
    text.chars().filter(|c| c.is_control()).count()
}

/// Returns whether a path belongs to another operation for a service that ignores case, invisible
/// characters, outer spaces, trailing dots or an extension.
fn fits_another(path: &str, others: &[String]) -> bool {
    if others.is_empty() {
        return false;
    }
    let path = fully_decoded(path);
    let readings = [path.clone(), path.replace('+', " ")].map(|path| trimmed(&path));
    let mut readings = readings
        .iter()
        .flat_map(|path| with_extensions_removed(path));
    readings.any(|reading| {
        let mut others = others.iter();
        others.any(|other| path_fits_template(&without_marks(&reading), &pattern(other)))
    })
}

fn trimmed(path: &str) -> String {
    let path = remove_invisible(path);
    let segments = path.split('/').map(|segment| {
        let is_ignored = |c: char| c == '.' || c.is_whitespace();
        segment.trim_start().trim_end_matches(is_ignored)
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Returns the path itself, and without each of the extensions of its last segment.
fn with_extensions_removed(path: &str) -> Vec<String> {
    let (parent, last) = path.rsplit_once('/').unwrap_or(("", path));
    let mut stems = vec![last];
    while let Some((stem, _)) = stems.last().and_then(|stem| stem.rsplit_once('.')) {
        stems.push(stem);
    }
    let stems = stems.iter().map(|stem| format!("{parent}/{stem}"));
    stems.collect()
}

/// Returns the template with its literal parts as a service decodes them.
fn pattern(template: &str) -> String {
    let segments = template_segments(path_of_template(template));
    let segments = segments.iter().map(|parts| {
        let parts = parts.iter().map(|part| match part {
            TemplatePart::Literal(text) => without_marks(&fully_decoded(&literal(text))),
            TemplatePart::Placeholder(_) => "{}".to_owned(),
        });
        parts.collect::<String>()
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Replaces the characters that have a meaning in a template.
fn without_marks(text: &str) -> String {
    text.replace(['{', '}', '?', '#'], MASK)
}

impl PlannedPath {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.masked.push_str(text);
    }

    fn append(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.masked.push_str(&other.masked);
    }
}

//! The names that the keys of an agent's objects become, and those that they must not become.
//!
//! A parameter that is an object may write its keys into the query, as `filter[key]` or as `key`
//! itself, and a body may have fields of any name. No such key may set what the document, the
//! overlay or the operator gives to something else. Services read names leniently, so names are
//! compared leniently: `Project-ID`, `project.id` and `project_id[]` are all `project_id`.

use serde_json::{Map, Value};
use toolwright_model::{
    Body, BodyContent, BodyShape, Bound, HttpBinding, Location, Parameter, ReservedFor, Scheme,
    Serialization, Style, reserved_field, text::remove_invisible,
};

use super::{
    PlanError, Values,
    decoded::{fully_decoded, percent_decoded},
    target::literal_query,
};

/// The names that no key may become.
pub(super) struct Taken<'a> {
    names: Vec<(WireName, NameOwner<'a>)>,
}

/// The owner of a name.
#[derive(Clone, Copy)]
enum NameOwner<'a> {
    /// Something that the operator or the overlay sets, with its value if it is known.
    Pinned(Option<&'a Value>),
    /// Another parameter or field.
    Other,
    /// The credentials.
    Credential,
    /// A part of the document that the tool does not offer.
    Withheld,
}

/// A name as services compare it.
#[derive(Clone)]
struct WireName {
    wire: String,
    /// Decoded, in lower case, and without invisible characters.
    plain: String,
    /// The letters and digits of each part, as different services read them.
    readings: Vec<Vec<String>>,
}

impl<'a> Taken<'a> {
    /// Returns the names that no key of a parameter may become.
    fn for_parameter(binding: &'a HttpBinding, values: Values<'a>, parameter: &Parameter) -> Self {
        let mut taken = Self::pinned(binding, values, Some(&parameter.value));
        let place = space_of(parameter.location);
        let neighbours = binding
            .parameters
            .iter()
            .filter(|other| space_of(other.location) == place && !std::ptr::eq(*other, parameter));
        taken.add_all(
            neighbours.map(|other| other.name.as_str()),
            NameOwner::Other,
        );
        if place == Location::Query {
            taken.add_literal_query(binding);
        }
        taken.add_credentials(binding);
        taken
    }

    /// Returns the names that no key within the body may become.
    pub(super) fn for_body(binding: &'a HttpBinding, values: Values<'a>, body: &'a Body) -> Self {
        let whole = match &body.shape {
            BodyShape::Whole(bound) => Some(bound),
            BodyShape::Fields(_) => None,
        };
        let mut taken = Self::pinned(binding, values, whole);
        if let BodyShape::Fields(fields) = &body.shape {
            taken.add_all(
                fields.iter().map(|field| field.name.as_str()),
                NameOwner::Other,
            );
        }
        if matches!(body.content, BodyContent::Form | BodyContent::Multipart) {
            taken.add_credentials(binding);
        }
        taken
    }

    /// Returns the names of all pinned values in the request except one, and of the parts that the
    /// tool does not offer. Many services look for a field in the path, the query and the body
    /// alike.
    fn pinned(binding: &'a HttpBinding, values: Values<'a>, except: Option<&Bound>) -> Self {
        let parameters = binding.parameters.iter();
        let parameters = parameters.map(|parameter| (&parameter.name, &parameter.value));
        let fields = binding.body.iter().flat_map(|body| match &body.shape {
            BodyShape::Fields(fields) => fields.as_slice(),
            BodyShape::Whole(_) => &[],
        });
        let fields = fields.map(|field| (&field.name, &field.value));
        let mut taken = Self { names: Vec::new() };
        for (name, bound) in parameters.chain(fields) {
            if !except.is_some_and(|except| std::ptr::eq(bound, except))
                && let Some(value) = values.pinned(bound)
            {
                taken.add(name, NameOwner::Pinned(value));
            }
        }
        taken.add_all(
            binding.withheld.iter().map(String::as_str),
            NameOwner::Withheld,
        );
        taken
    }

    fn add_literal_query(&mut self, binding: &HttpBinding) {
        let query = literal_query(binding).unwrap_or_default();
        self.add_all(
            names_of_pairs(query, '&').iter().map(String::as_str),
            NameOwner::Other,
        );
    }

    fn add_credentials(&mut self, binding: &HttpBinding) {
        let keys = binding.security.iter().flatten();
        let names = keys.filter_map(|requirement| match &requirement.kind {
            Scheme::ApiKey { name, .. } => Some(name.as_str()),
            _ => None,
        });
        self.add_all(names, NameOwner::Credential);
    }

    fn add_all<'n>(&mut self, names: impl Iterator<Item = &'n str>, owner: NameOwner<'a>) {
        for name in names {
            self.add(name, owner);
        }
    }

    fn add(&mut self, name: &str, owner: NameOwner<'a>) {
        self.names.push((WireName::new(name), owner));
    }

    /// Returns the names without the field whose keys are to be checked.
    pub(super) fn without(&self, field: &str) -> Self {
        let others = self.names.iter().filter(|(name, _)| name.wire != field);
        Self {
            names: others.cloned().collect(),
        }
    }

    /// Checks a name that a key of the agent's has become.
    pub(super) fn check(&self, name: &str, bound: &Bound) -> Result<(), PlanError> {
        let read = WireName::new(name);
        let conflict = self.names.iter().find(|(taken, _)| taken.is(&read));
        match (conflict, read.reserved()) {
            (Some((_, owner)), _) => Err(PlanError::value(bound, owner.message(name))),
            (None, Some(reserved)) => {
                let message = format!("has the key `{name}`, which would set {}", reserved.word());
                Err(PlanError::value(bound, message))
            }
            (None, None) => Ok(()),
        }
    }

    /// Checks the names that the keys of a parameter's value have become in `pairs`, such as
    /// `a=1&b=2`.
    pub(super) fn check_parameter(
        binding: &'a HttpBinding,
        values: Values<'a>,
        parameter: &'a Parameter,
        (pairs, separator): (&str, char),
    ) -> Result<(), PlanError> {
        let has_keys = |value: &Value| value.is_object() || value.is_array();
        if !values.get(&parameter.value)?.is_some_and(has_keys) {
            return Ok(());
        }
        let mut taken = Self::for_parameter(binding, values, parameter);
        let is_deep = |style| style == Style::DeepObject;
        if matches!(parameter.serialization, Serialization::Style { style, .. } if is_deep(style)) {
            // All names begin with the parameter's own, which the document declares.
            taken = taken.without(&parameter.name);
        }
        taken.check_pairs(pairs, separator, &parameter.name, &parameter.value)
    }

    /// Checks the names of pairs such as `a=1&b=2`, but for the parameter's own name.
    pub(super) fn check_pairs(
        &self,
        pairs: &str,
        separator: char,
        own: &str,
        bound: &Bound,
    ) -> Result<(), PlanError> {
        for name in names_of_pairs(pairs, separator) {
            if name != own {
                self.check(&name, bound)?;
            }
            if separator == ';' && name.starts_with('$') {
                let message =
                    format!("has the key `{name}`, which some services read as a directive");
                return Err(PlanError::value(bound, message));
            }
        }
        Ok(())
    }

    /// Checks the keys of a body of JSON, or of each object of a list. A key may repeat what is
    /// pinned if its value does too.
    pub(super) fn check_json(&self, value: &Value, bound: &Bound) -> Result<(), PlanError> {
        match value {
            Value::Object(fields) => self.check_object(fields, bound),
            Value::Array(items) => items.iter().try_for_each(|item| match item {
                Value::Object(fields) => self.check_object(fields, bound),
                _ => Ok(()),
            }),
            _ => Ok(()),
        }
    }

    fn check_object(&self, fields: &Map<String, Value>, bound: &Bound) -> Result<(), PlanError> {
        fields
            .iter()
            .filter(|(name, value)| !self.repeats(name, value))
            .try_for_each(|(name, _)| self.check(name, bound))
    }

    fn repeats(&self, name: &str, value: &Value) -> bool {
        let mut names = self.names.iter();
        names.any(|(taken, owner)| {
            matches!(owner, NameOwner::Pinned(Some(pinned)) if *pinned == value)
                && taken.wire == name
        })
    }
}

impl NameOwner<'_> {
    fn message(self, name: &str) -> String {
        match self {
            Self::Pinned(_) => {
                format!("has the key `{name}`, which the operator sets; remove it")
            }
            Self::Other => {
                format!("has the key `{name}`, which is another parameter; remove it")
            }
            Self::Credential => format!("has the key `{name}`, which belongs to the credentials"),
            Self::Withheld => format!("has the key `{name}`, which the tool does not offer"),
        }
    }
}

impl WireName {
    fn new(name: &str) -> Self {
        let spaced = name.replace('+', " ");
        let plain = visible(&fully_decoded(&spaced));
        let mut readings = vec![parts(&plain)];
        // A service that drops what it does not know reads `key℀` as `key`, and not as `keya/c`.
        let literal = parts(&visible(&percent_decoded(&spaced)));
        readings.extend(Some(literal).filter(|literal| !readings.contains(literal)));
        Self {
            wire: name.to_owned(),
            plain,
            readings,
        }
    }

    /// Returns what the name would decide about the request, with or without an index: `_method[]`.
    fn reserved(&self) -> Option<ReservedFor> {
        let (start, _) = self
            .plain
            .split_once(['[', '='])
            .unwrap_or((&self.plain, ""));
        reserved_field(&self.plain).or_else(|| reserved_field(start))
    }

    /// Returns whether a service could take one name for the other, or for a part of it.
    fn is(&self, other: &Self) -> bool {
        self.wire == other.wire
            || self.readings.iter().any(|own| {
                let mut others = other.readings.iter();
                others.any(|other| is_or_holds(own, other))
            })
    }
}

/// Checks whether one name is the other, or begins with it: `project.id[25]` begins with
/// `project_id`.
fn is_or_holds(own: &[String], other: &[String]) -> bool {
    begins_with(own, other) || begins_with(other, own)
}

fn begins_with(name: &[String], beginning: &[String]) -> bool {
    let beginning = beginning.concat();
    let mut so_far = String::new();
    name.iter().any(|part| {
        so_far.push_str(part);
        so_far == beginning
    })
}

/// Returns the name in lower case, without invisible characters.
fn visible(name: &str) -> String {
    remove_invisible(name).to_lowercase()
}

/// Returns the letters and digits of each part of a name: `filter[name][]` has two parts.
fn parts(name: &str) -> Vec<String> {
    let parts = name.split(['[', ']', '.', '{', '}', '(', ')', '/', ':', '=']);
    let letters = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).collect();
    let parts = parts.map(letters);
    parts.filter(|part: &String| !part.is_empty()).collect()
}

/// The places that share their names: a service reads one query, one set of cookies.
const fn space_of(location: Location) -> Location {
    match location {
        Location::QueryString => Location::Query,
        other => other,
    }
}

/// Returns the decoded names of pairs such as `a=1&b=2`.
fn names_of_pairs(pairs: &str, separator: char) -> Vec<String> {
    let pairs = pairs.split(separator).map(str::trim);
    let names = pairs.filter(|pair| !pair.is_empty()).map(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        percent_encoding::percent_decode_str(name)
            .decode_utf8_lossy()
            .into_owned()
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_the_most_lenient_service_reads_them() {
        let taken = WireName::new("project_id");
        for name in [
            "project_id",
            "PROJECT_ID",
            "projectId",
            "project-id",
            "project.id",
            "project id",
            "project+id",
            "project[id",
            "project_id[]",
            "project_id[0]",
            "project_id[x][y]",
            "project_id.x",
            "project.id[25]",
            "project.id[x][y]",
            "[project_id]",
            " project_id",
            "project%5Fid",
            "project_id%00",
            "project_\u{200b}id",
            "ｐroject_id",
            "project_id℀",
        ] {
            assert!(taken.is(&WireName::new(name)), "{name}");
        }
        for name in [
            "project",
            "id",
            "project_ids",
            "x[project_id]",
            "my_project_id",
        ] {
            assert!(!taken.is(&WireName::new(name)), "{name}");
        }
        assert!(WireName::new("filter[name]").is(&WireName::new("filter[name][]")));
        assert!(WireName::new("filter[name]").is(&WireName::new("filter")));
        assert!(!WireName::new("filter[name]").is(&WireName::new("filter[other]")));
        assert!(!WireName::new("$").is(&WireName::new("@")));
    }
}

//! Derives the name of a service.

use toolwright_model::ServiceName;

use super::Input;
use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        source::Place,
    },
    parse::{openapi::Document, overlay::Overlay},
};

/// Generic words in file names, which do not name a service.
const GENERIC: &[&str] = &[
    "api",
    "apidocs",
    "apis",
    "definition",
    "definitions",
    "description",
    "doc",
    "docs",
    "graphql",
    "index",
    "json",
    "openapi",
    "openapispec",
    "rest",
    "schema",
    "spec",
    "swagger",
    "yaml",
];

/// The length, in characters, at which a name needs no further word. Every tool name contains the
/// service name, so it must be short.
const ENOUGH: usize = 5;

/// The maximum length, in characters, of a name with a further word.
const LONGEST: usize = 12;

/// The maximum length, in characters, of a word of the file name if the folder has a shorter one. A
/// longer service name would leave little room in the names of its tools.
const LONGEST_WORD: usize = 20;

/// Returns the service name of an input: the caller's, the overlay's, the document's, or the
/// file's.
pub(super) fn resolve(
    input: &Input,
    overlay: &Overlay,
    document: &Document<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<ServiceName> {
    let Some(given) = &input.service else {
        let said = overlay.service.as_ref().map(|said| said.value.clone());
        let said = said.or_else(|| document.service.clone());
        return said.or_else(|| ServiceName::new(of_path(&input.document)).ok());
    };
    ServiceName::new(given.as_str())
        .map_err(|error| {
            let place = Place::start_of(document.source);
            diagnostics.report(Diagnostic::error(
                Code::UnknownValue,
                place,
                error.to_string(),
            ));
        })
        .ok()
}

/// Returns one word from the file name or its folder, the first that is not too long, or `service` if
/// neither contains a specific word.
fn of_path(path: &str) -> String {
    let mut steps = path.rsplit('/');
    let file = steps.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let folder = steps.next().unwrap_or_default();
    let words = [stem, folder].map(one_word).into_iter();
    words
        .filter(|word| !word.is_empty())
        .min_by_key(|word| word.len() > LONGEST_WORD)
        .unwrap_or_else(|| "service".to_owned())
}

/// Returns the first specific word. A short word is joined with the following ones.
fn one_word(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut telling = words.map(str::to_ascii_lowercase).filter(|word| {
        let plain = word.trim_end_matches(|c: char| c.is_ascii_digit());
        !matches!(plain, "" | "v") && !GENERIC.contains(&plain)
    });
    let first = telling.next().unwrap_or_default();
    let first = first.trim_start_matches(|c: char| c.is_ascii_digit());
    let first = first.strip_suffix("api").unwrap_or(first).to_owned();
    telling
        .try_fold(first, |name, word| {
            let longer = match word.starts_with(&name) {
                true => word,
                false => format!("{name}{word}"),
            };
            if name.len() >= ENOUGH || longer.len() > LONGEST {
                return Err(name);
            }
            Ok(longer)
        })
        .unwrap_or_else(|name| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_named_after_its_file_or_folder() {
        for (path, name) in [
            ("specs/plane/openapi.json", "plane"),
            ("outline/spec3.yml", "outline"),
            ("forgejo/swagger.v1.json", "forgejo"),
            ("my-shop.yaml", "myshop"),
            ("openapi.yaml", "service"),
            ("1password.yaml", "password"),
            ("twilio-json-tsg-scheduled-sends-v3.json", "twilio"),
            ("petapi-pets.yaml", "pets"),
            ("hey-api-3-1-x-ref-deep.yaml", "heyxref"),
            (
                "containerinstance-containerInstance.json",
                "containerinstance",
            ),
            ("api/v2/openapi.yaml", "service"),
            ("example.com/recoveryservicessiterecovery.json", "example"),
            (
                "v1/recoveryservicessiterecovery.json",
                "recoveryservicessiterecovery",
            ),
        ] {
            assert_eq!(of_path(path), name, "{path}");
        }
    }
}

//! The name of a service.

use toolwright_model::ServiceName;

use super::Input;
use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId},
    spec::overlay::Overlay,
};

/// File names that say nothing of the service; its folder is looked at then.
const GENERIC: &[&str] = &[
    "api",
    "apidocs",
    "index",
    "openapi",
    "openapispec",
    "schema",
    "spec",
    "swagger",
];

/// The name of an input's service: the caller's word, the overlay's, or that of the file.
pub(super) fn of(
    input: &Input,
    overlay: &Overlay,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<ServiceName> {
    let Some(given) = &input.service else {
        let said = overlay.service.as_ref().map(|said| said.value.clone());
        return said.or_else(|| ServiceName::new(of_path(&input.document)).ok());
    };
    ServiceName::new(given.as_str())
        .map_err(|error| {
            let place = Place::start_of(source);
            diagnostics.report(Diagnostic::error(
                Code::UnknownValue,
                place,
                error.to_string(),
            ));
        })
        .ok()
}

/// One word from the file's name, or from that of its folder; `service` where both say nothing.
fn of_path(path: &str) -> String {
    let mut steps = path.rsplit('/');
    let file = steps.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let folder = steps.next().unwrap_or_default();
    [stem, folder]
        .map(word)
        .into_iter()
        .find(|word| {
            let plain = word.trim_end_matches(|c: char| c.is_ascii_digit());
            !plain.is_empty() && !GENERIC.contains(&plain)
        })
        .unwrap_or_else(|| "service".to_owned())
}

/// The letters and digits of a text, in lower case, from the first letter on.
fn word(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .skip_while(char::is_ascii_digit)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_called_as_its_file_or_folder() {
        for (path, name) in [
            ("specs/plane/openapi.json", "plane"),
            ("outline/spec3.yml", "outline"),
            ("forgejo/swagger.v1.json", "forgejo"),
            ("my-shop.yaml", "myshop"),
            ("openapi.yaml", "service"),
            ("1password.yaml", "password"),
        ] {
            assert_eq!(of_path(path), name, "{path}");
        }
    }
}

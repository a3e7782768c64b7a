//! The targets of requests: the server that the overlay chooses, or else the first.

use std::{collections::BTreeMap, sync::Arc};

use toolwright_model::most_similar;

use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        source::Placed,
    },
    parse::{
        openapi::{ParsedOperation, Server, Variable},
        overlay::{Overlay, ServerChoice, ServerSelector},
    },
};

/// The base URLs of one document.
pub(super) struct Servers<'a> {
    overlay: &'a Overlay,
    /// The document's own list.
    own: Arc<[Server]>,
    /// The base URL of operations without servers of their own.
    base_url: Option<String>,
}

impl<'a> Servers<'a> {
    /// Applies the overlay to the document's own servers.
    pub(super) fn new(
        own: &Arc<[Server]>,
        overlay: &'a Overlay,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let choice = overlay.server.as_ref();
        Self {
            overlay,
            own: Arc::clone(own),
            base_url: match &overlay.base_url {
                Some(url) => Some(url.clone()),
                None => base_url(own, choice, diagnostics),
            },
        }
    }

    /// Returns the base URL of an operation. A choice for the operation has precedence over a
    /// choice for all, and a server that is chosen for the document does not affect operations with
    /// servers of their own.
    pub(super) fn base_url(
        &self,
        operation: &ParsedOperation<'_>,
        choice: Option<&ServerChoice>,
        diagnostics: &mut Diagnostics,
    ) -> Option<String> {
        let has_own = !Arc::ptr_eq(&operation.servers, &self.own);
        match choice {
            None if self.overlay.base_url.is_some() || !has_own => self.base_url.clone(),
            choice => base_url(&operation.servers, choice, diagnostics),
        }
    }
}

fn base_url(
    servers: &[Server],
    choice: Option<&ServerChoice>,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let server = match choice {
        None => servers.first().filter(|server| server.index == 0)?,
        Some(choice) => choose(servers, choice)
            .map_err(|fault| diagnostics.report(fault))
            .ok()?,
    };
    let said = choice.map_or(&[][..], |choice| &choice.variables);
    let mut values: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, value) in said {
        match check_variable(server, name, value) {
            Ok(()) => drop(values.insert(&name.value, &value.value)),
            Err(fault) => diagnostics.report(fault),
        }
    }
    for variable in &server.variables {
        if let Some(value) = default_value(variable) {
            values.entry(&variable.name).or_insert(value);
        }
    }
    let url = values
        .iter()
        .fold(server.url.clone(), |url, (name, value)| {
            url.replace(&format!("{{{name}}}"), value)
        });
    if let Some(name) = variables(&url).next() {
        diagnostics.report(without_value(server, name));
        return None;
    }
    Some(url.trim_end_matches('/').to_owned())
}

/// Returns the value of a variable that the overlay does not set: its default, or else the first of
/// its values.
fn default_value(variable: &Variable) -> Option<&str> {
    let value = variable
        .default
        .as_ref()
        .or_else(|| variable.values.first());
    value.map(String::as_str)
}

/// Returns the server that the overlay chooses: the first if it only sets variables.
fn choose<'s>(servers: &'s [Server], choice: &ServerChoice) -> Result<&'s Server, Box<Diagnostic>> {
    let Some(Placed { value, place }) = &choice.selector else {
        let none = "the document declares no servers";
        return servers.first().ok_or_else(|| {
            Diagnostic::error(Code::UnmatchedOverlay, choice.place, none)
                .help("set `base_url` instead")
                .into()
        });
    };
    let is_meant = |server: &&Server| match value {
        ServerSelector::Index(index) => server.index == *index,
        ServerSelector::Url(url) => server.url == *url,
        ServerSelector::Description(text) => server.description.as_ref() == Some(text),
    };
    let mut meant = servers.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(server), None) => Ok(server),
        (Some(one), Some(other)) => Err(Diagnostic::error(
            Code::ContradictoryOverlay,
            *place,
            "this matches several servers",
        )
        .also(one.place, "the first match")
        .also(other.place, "the second match")
        .help(format!(
            "select one by its index: `index = {}` or `index = {}`",
            one.index, other.index
        ))
        .into()),
        (None, _) => Err(unmatched(servers, value, *place)),
    }
}

fn unmatched(
    servers: &[Server],
    selector: &ServerSelector,
    place: crate::document::source::Place,
) -> Box<Diagnostic> {
    let urls = || servers.iter().map(|server| server.url.as_str());
    let (text, candidates): (String, Vec<&str>) = match selector {
        ServerSelector::Index(index) => (index.to_string(), Vec::new()),
        ServerSelector::Url(url) => (url.clone(), urls().collect()),
        ServerSelector::Description(text) => {
            let all = servers
                .iter()
                .filter_map(|server| server.description.as_deref());
            (text.clone(), all.collect())
        }
    };
    let message = format!("no server of the document matches `{text}`");
    let diagnostic = Diagnostic::error(Code::UnmatchedOverlay, place, message);
    let known: Vec<String> = servers
        .iter()
        .map(|server| format!("`{}` (index {})", server.url, server.index))
        .collect();
    match most_similar(&text, candidates) {
        Some(similar) => diagnostic.help(format!("the document declares `{similar}`")),
        None if known.is_empty() => {
            diagnostic.help("the document declares no servers; set `base_url` instead")
        }
        None => diagnostic.help(format!("the document declares {}", known.join(", "))),
    }
    .into()
}

/// Checks whether a server has the variable that the overlay sets, and allows the value.
fn check_variable(
    server: &Server,
    name: &Placed<String>,
    value: &Placed<String>,
) -> Result<(), Box<Diagnostic>> {
    let variable = server
        .variables
        .iter()
        .find(|known| known.name == name.value);
    let names: Vec<&str> = variables(&server.url).collect();
    if !names.contains(&name.value.as_str()) {
        let message = format!(
            "the server URL `{}` has no variable `{}`",
            server.url, name.value
        );
        let diagnostic = Diagnostic::error(Code::UnmatchedOverlay, name.place, message)
            .also(server.place, "the server");
        let similar = most_similar(&name.value, names.iter().copied());
        return Err(match similar {
            Some(similar) => diagnostic.help(format!(
                "a variable with a similar name exists: `{similar}`"
            )),
            None => diagnostic.help("remove this line"),
        }
        .into());
    }
    let values = variable.map_or(&[][..], |variable| &variable.values);
    if values.is_empty() || values.contains(&value.value) {
        return Ok(());
    }
    let message = format!(
        "the variable `{}` does not allow the value `{}`",
        name.value, value.value
    );
    Err(Diagnostic::error(Code::UnknownValue, value.place, message)
        .also(server.place, "the server")
        .help(format!("the allowed values are `{}`", values.join("`, `")))
        .into())
}

fn without_value(server: &Server, name: &str) -> Diagnostic {
    let message = format!("the variable `{name}` of this server has no value");
    Diagnostic::warning(Code::Missing, server.place, message)
        .label("so the base URL is unknown")
        .help(format!(
            "set `server.variables.{name}` in the overlay, for all operations or for one; the document lists no value for it"
        ))
}

/// The names between braces.
fn variables(url: &str) -> impl Iterator<Item = &str> {
    let parts = url.split('{').skip(1);
    parts.filter_map(|part| part.split_once('}').map(|(name, _)| name))
}

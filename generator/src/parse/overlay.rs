//! Overlays: the curation of a vendor's document. `docs/overlay.md` describes the format.

mod graphql;
mod keys;
mod patch;
mod reader;
mod schema;
mod selector;
mod shapes;

use toolwright_model::{Bound, Category, Effect, ResponsePath, Scheme, ServiceName, ToolName};

use crate::{
    document::{
        diagnostic::Diagnostics,
        source::{Place, Placed, SourceId},
        tree::Node,
    },
    parse::{
        format::Format, graphql::GraphqlSettings, openapi::OperationKey, strict::StrictReader,
    },
};

pub(crate) use patch::Patch;
pub use schema::schema;
pub(crate) use selector::Selector;

/// A parsed overlay.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    /// The service's name.
    pub(crate) service: Option<Placed<ServiceName>>,
    /// The base URL, which replaces the document's servers.
    pub(crate) base_url: Option<String>,
    /// The choice among the document's servers.
    pub(crate) server: Option<ServerChoice>,
    /// True if the document is the operator's own or is trusted like it.
    pub(crate) trust_document: Option<Placed<bool>>,
    /// The operations that become tools; empty means all.
    pub(crate) include: Vec<Placed<Selector>>,
    /// The operations that do not become tools.
    pub(crate) exclude: Vec<Placed<Selector>>,
    /// The OpenAPI Overlays that are applied to the document first, relative to this overlay.
    pub(crate) openapi_overlays: Vec<Placed<String>>,
    /// The formats whose values have Rust types of their own.
    pub(crate) typed_formats: Vec<Format>,
    /// The settings of a GraphQL schema.
    pub(crate) graphql: GraphqlSettings,
    /// The corrections of schemas.
    pub(crate) patches: Vec<Patch>,
    /// The security schemes that the document does not declare.
    pub(crate) schemes: Vec<(Placed<String>, Scheme)>,
    /// The security of all operations, instead of the document's.
    pub(crate) security: Option<SecurityEntry>,
    /// The headers of all requests.
    pub(crate) headers: Vec<HeaderEntry>,
    /// The pinned parameters of all operations.
    pub(crate) pins: Vec<Pin>,
    /// The hidden parameters of all operations.
    pub(crate) hidden: Vec<Placed<String>>,
    /// The path parameters of all operations that may contain separators.
    pub(crate) separators: Vec<Allowance>,
    /// The curation of operations, in file order.
    pub(crate) operations: Vec<(Placed<Selector>, Curation)>,
    /// The proposed entries of operations. They have no effect.
    pub(crate) proposals: Vec<(Placed<Selector>, Proposal)>,
}

/// A proposed entry of an operation, which has no effect until a person accepts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The selector of the operation.
    pub selector: String,
    /// The command that proposed it.
    pub proposed_by: String,
    /// The reason for it.
    pub reason: String,
    /// The keys of the entry with their values.
    pub changes: Vec<(&'static str, String)>,
}

/// A parameter or body field with a fixed value. It is not an argument of the tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pin {
    /// Its name on the wire.
    pub(crate) name: Placed<String>,
    /// The source of its value: a constant of the credentials, or a literal value.
    pub(crate) value: Bound,
}

/// The security of operations, instead of the document's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecurityEntry {
    /// The span of its key.
    pub(crate) place: Place,
    /// The alternatives, each with the names of its schemes. If there are none, no credentials are
    /// needed.
    pub(crate) alternatives: Vec<Vec<Placed<String>>>,
    /// The reason for the correction.
    pub(crate) reason: String,
}

/// A header that the document does not declare.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HeaderEntry {
    /// Its name.
    pub(crate) name: Placed<String>,
    /// The source of its value: a constant of the credentials, or a string.
    pub(crate) value: Bound,
    /// The reason for it.
    pub(crate) reason: String,
}

/// The parts of a response that a tool returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResponseEntry {
    /// The span of its key.
    pub(crate) place: Place,
    /// The parts that are returned; all if there are none.
    pub(crate) keep: Vec<Placed<ResponsePath>>,
    /// The parts that are left out.
    pub(crate) drop: Vec<Placed<ResponsePath>>,
    /// The reason for it.
    pub(crate) reason: String,
}

/// A path parameter whose values may contain `/` and other separators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// Its name on the wire.
    pub(crate) name: Placed<String>,
    /// The reason for the exception.
    pub(crate) reason: String,
}

/// A choice among the servers of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerChoice {
    /// The span of the choice.
    pub(crate) place: Place,
    /// The selected server; `None` selects the first.
    pub(crate) selector: Option<Placed<ServerSelector>>,
    /// The values of its variables.
    pub(crate) variables: Vec<(Placed<String>, Placed<String>)>,
}

/// A selector for a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerSelector {
    /// The server at this position, counted from 0.
    Index(usize),
    /// The server with this URL, as the document writes it.
    Url(String),
    /// The server with this description.
    Description(String),
}

/// The curation of an operation. Unset fields are derived.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Curation {
    /// The entries of the overlay file that are not patterns, the strongest first.
    pub(crate) entries: Vec<OwnEntry>,
    /// The tool's name.
    pub(crate) name: Option<Placed<ToolName>>,
    /// The verb of the tool's name.
    pub(crate) verb: Option<Placed<String>>,
    /// The noun of the tool's name.
    pub(crate) noun: Option<Placed<String>>,
    /// A title for people.
    pub(crate) title: Option<String>,
    /// The one-line description.
    pub(crate) short: Option<String>,
    /// The full description.
    pub(crate) description: Option<String>,
    /// When an agent should choose this tool.
    pub(crate) when_to_use: Option<String>,
    /// The heading that lists the tool.
    pub(crate) section: Option<String>,
    /// The choice among the operation's servers.
    pub(crate) server: Option<ServerChoice>,
    /// The security, instead of the document's.
    pub(crate) security: Option<SecurityEntry>,
    /// The headers of its requests.
    pub(crate) headers: Vec<HeaderEntry>,
    /// The pinned parameters.
    pub(crate) pins: Vec<Pin>,
    /// The hidden parameters, which are neither arguments nor sent.
    pub(crate) hidden: Vec<Placed<String>>,
    /// The path parameters that may contain separators.
    pub(crate) separators: Vec<Allowance>,
    /// The parts of the response that the tool returns; all if it is unset.
    pub(crate) response: Option<ResponseEntry>,
    /// The governance overrides.
    pub(crate) governance: GovernanceCuration,
    /// The reason for the governance overrides.
    pub(crate) reason: Option<Placed<String>>,
}

/// An entry of the overlay file that is not a pattern. It matches several operations if they share an
/// operation id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnEntry {
    /// The selector as the overlay writes it.
    pub(crate) selector: String,
    /// True if the entry sets the name or a part of it.
    pub(crate) sets_name: bool,
}

/// The governance overrides of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GovernanceCuration {
    /// The category.
    pub(crate) category: Option<Placed<Category>>,
    /// The effect.
    pub(crate) effect: Option<Placed<Effect>>,
    /// True if a person must approve each call.
    pub(crate) approval_required: Option<Placed<bool>>,
    /// True if the tool is enabled unless the operator disables it.
    pub(crate) enabled_by_default: Option<Placed<bool>>,
    /// `hints.read_only`.
    pub(crate) read_only: Option<Placed<bool>>,
    /// `hints.destructive`.
    pub(crate) destructive: Option<Placed<bool>>,
    /// `hints.idempotent`.
    pub(crate) idempotent: Option<Placed<bool>>,
    /// `hints.open_world`.
    pub(crate) open_world: Option<Placed<bool>>,
}

/// Parses an overlay. Reports every fault and returns the valid entries.
#[must_use]
pub(crate) fn parse(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Overlay {
    match crate::document::tree::toml::read(source, text, diagnostics) {
        Some(root) => StrictReader::new(diagnostics).overlay(&root),
        None => Overlay::default(),
    }
}

impl Overlay {
    /// Checks whether an operation becomes a tool.
    #[must_use]
    pub(crate) fn includes(&self, key: &OperationKey) -> bool {
        let any = |selectors: &[Placed<Selector>]| {
            selectors.iter().any(|selector| selector.value.matches(key))
        };
        let included = self.include.is_empty() || any(&self.include);
        included && !any(&self.exclude)
    }
}

/// Reads the `x-toolwright` extension of an operation, which is an overlay entry.
pub(crate) fn parse_extension(node: &Node, diagnostics: &mut Diagnostics) -> Curation {
    StrictReader::new(diagnostics).extension(node)
}

impl ResponseEntry {
    /// Returns the paths of the parts.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Placed<ResponsePath>> {
        self.keep.iter().chain(&self.drop)
    }
}

impl GovernanceCuration {
    /// Checks whether no override is set.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Curation {
    /// Checks whether the name or a part of it is set.
    #[must_use]
    pub(crate) const fn sets_name(&self) -> bool {
        self.name.is_some() || self.verb.is_some() || self.noun.is_some()
    }

    /// Fills the unset fields from `other`. Its entries, headers, pins, hidden parameters and
    /// separators are appended.
    pub(crate) fn complete(&mut self, other: &Self) {
        macro_rules! fill {
            ($($($field:ident).+),+ $(,)?) => {
                $(if self.$($field).+.is_none() {
                    self.$($field).+.clone_from(&other.$($field).+);
                })+
            };
        }
        self.entries.extend(other.entries.iter().cloned());
        if !self.sets_name() {
            fill!(name, verb, noun);
        }
        fill!(
            title,
            short,
            description,
            when_to_use,
            section,
            reason,
            server,
            security,
            response
        );
        fill!(
            governance.category,
            governance.effect,
            governance.approval_required
        );
        fill!(
            governance.enabled_by_default,
            governance.read_only,
            governance.destructive
        );
        fill!(governance.idempotent, governance.open_world);
        self.headers.extend(other.headers.iter().cloned());
        self.pins.extend(other.pins.iter().cloned());
        self.hidden.extend(other.hidden.iter().cloned());
        self.separators.extend(other.separators.iter().cloned());
    }
}

//! Overlays: our curation beside a vendor's document. `docs/overlay.md` describes the format.

mod keys;
mod reader;
mod schema;
mod selector;

use toolwright_model::{Bound, Category, Effect, ServiceName, ToolName};

use crate::{
    diagnostic::Diagnostics,
    source::{Place, Placed, SourceId},
    spec::{openapi::OperationKey, strict::Reader},
    tree::Node,
};

pub use schema::schema;
pub use selector::Selector;

/// What an overlay says.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    /// The service's name.
    pub service: Option<Placed<ServiceName>>,
    /// The base URL, in the place of the document's.
    pub base_url: Option<String>,
    /// The server of the document's own list.
    pub server: Option<ServerChoice>,
    /// Whether the document is our own, or trusted as if it were.
    pub trust_document: Option<Placed<bool>>,
    /// The operations that become tools; all of them when it is empty.
    pub include: Vec<Placed<Selector>>,
    /// The operations that do not.
    pub exclude: Vec<Placed<Selector>>,
    /// The parameters that are pinned in every operation that has them.
    pub pins: Vec<Pin>,
    /// The parameters that are hidden in every operation that has them.
    pub hidden: Vec<Placed<String>>,
    /// The path parameters that may contain separators in every operation that has them.
    pub separators: Vec<Allowance>,
    /// What is said of single operations, in the order of the file.
    pub operations: Vec<(Placed<Selector>, Curation)>,
}

/// A parameter or body field whose value is no argument of the tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Its name on the wire.
    pub name: Placed<String>,
    /// Where its value comes from: a constant of the credentials, or a value.
    pub value: Bound,
}

/// A path parameter whose values may contain `/` and other separators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Its name on the wire.
    pub name: Placed<String>,
    /// Why they may.
    pub reason: String,
}

/// A server that the document offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerChoice {
    /// Where it is chosen.
    pub place: Place,
    /// Which one it is; the first where this is not said.
    pub selector: Option<Placed<ServerSelector>>,
    /// The values of its variables.
    pub variables: Vec<(Placed<String>, Placed<String>)>,
}

/// Which server is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerSelector {
    /// That at this position, counted from 0.
    Index(usize),
    /// That with this URL, as the document writes it.
    Url(String),
    /// That with this description.
    Description(String),
}

/// What an overlay says of an operation. What it does not say is derived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curation {
    /// The tool's name.
    pub name: Option<Placed<ToolName>>,
    /// The verb of the tool's name.
    pub verb: Option<Placed<String>>,
    /// The noun of the tool's name.
    pub noun: Option<Placed<String>>,
    /// A title for people.
    pub title: Option<String>,
    /// One line.
    pub short: Option<String>,
    /// The whole description.
    pub description: Option<String>,
    /// When to use it.
    pub when_to_use: Option<String>,
    /// The heading under which it is listed.
    pub section: Option<String>,
    /// The server of those that the document offers for the operation.
    pub server: Option<ServerChoice>,
    /// The parameters that are pinned.
    pub pins: Vec<Pin>,
    /// The parameters that are hidden: they are no arguments, and not sent.
    pub hidden: Vec<Placed<String>>,
    /// The path parameters that may contain separators.
    pub separators: Vec<Allowance>,
    /// What is said of the governance.
    pub governance: GovernanceCuration,
    /// Why the governance is what is said here.
    pub reason: Option<Placed<String>>,
}

/// What an overlay says of the governance of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GovernanceCuration {
    /// The category.
    pub category: Option<Placed<Category>>,
    /// The effect.
    pub effect: Option<Placed<Effect>>,
    /// Whether a person has to approve each call.
    pub approval_required: Option<Placed<bool>>,
    /// Whether the tool is on where the operator has said nothing.
    pub enabled_by_default: Option<Placed<bool>>,
    /// `hints.read_only`.
    pub read_only: Option<Placed<bool>>,
    /// `hints.destructive`.
    pub destructive: Option<Placed<bool>>,
    /// `hints.idempotent`.
    pub idempotent: Option<Placed<bool>>,
    /// `hints.open_world`.
    pub open_world: Option<Placed<bool>>,
}

/// Reads an overlay. All of its faults are reported, and what is sound is given.
#[must_use]
pub fn parse(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Overlay {
    match crate::tree::toml::read(source, text, diagnostics) {
        Some(root) => Reader::new(diagnostics).overlay(&root),
        None => Overlay::default(),
    }
}

impl Overlay {
    /// Whether an operation becomes a tool.
    #[must_use]
    pub fn includes(&self, key: &OperationKey) -> bool {
        let any = |selectors: &[Placed<Selector>]| {
            selectors.iter().any(|selector| selector.value.matches(key))
        };
        let included = self.include.is_empty() || any(&self.include);
        included && !any(&self.exclude)
    }
}

/// Reads what stands under `x-toolwright` in an operation of a document: an entry of an overlay.
pub(crate) fn parse_extension(node: &Node, diagnostics: &mut Diagnostics) -> Curation {
    Reader::new(diagnostics).curation(node, "`x-toolwright`")
}

impl GovernanceCuration {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Curation {
    /// Takes what `other` sets and this one does not. Its pins, what it hides
    /// and the separators that it allows come after those of this one.
    pub fn complete(&mut self, other: &Self) {
        macro_rules! fill {
            ($($($field:ident).+),+ $(,)?) => {
                $(if self.$($field).+.is_none() {
                    self.$($field).+.clone_from(&other.$($field).+);
                })+
            };
        }
        let names_itself = self.name.is_some() || self.verb.is_some() || self.noun.is_some();
        if !names_itself {
            fill!(name, verb, noun);
        }
        fill!(
            title,
            short,
            description,
            when_to_use,
            section,
            reason,
            server
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
        self.pins.extend(other.pins.iter().cloned());
        self.hidden.extend(other.hidden.iter().cloned());
        self.separators.extend(other.separators.iter().cloned());
    }
}

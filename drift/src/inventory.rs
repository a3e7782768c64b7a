//! The tools of one side of a comparison: whole records, or the rows of a manifest.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::Deserialize;
use serde_json::{Value, json};
use toolwright_model::{
    Binding, BodyShape, Bound, Governance, Method, Origin, ServiceName, ToolName, ToolSpec,
};

use toolwright_generator::emit::{Manifest, Row};

/// The tools of one side of a comparison, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inventory {
    tools: Vec<Tool>,
}

/// A tool: its whole record, or its row in a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    service: ServiceName,
    detail: Detail,
}

#[derive(Clone, Debug, PartialEq)]
enum Detail {
    Whole(Box<ToolSpec>),
    Outline(Box<Row>),
}

/// The error for a broken table of tools.
#[derive(Debug)]
pub struct NotAnInventory(serde_json::Error);

impl Inventory {
    /// Creates an inventory of whole records.
    pub fn of_specs(specs: impl IntoIterator<Item = ToolSpec>) -> Self {
        Self::sorted(specs.into_iter().map(|spec| Tool {
            service: spec.service.clone(),
            detail: Detail::Whole(Box::new(spec)),
        }))
    }

    /// Creates an inventory of a manifest, which holds digests of schemas and descriptions.
    #[must_use]
    pub fn of_manifest(manifest: Manifest) -> Self {
        let Manifest { service, tools, .. } = manifest;
        Self::sorted(tools.into_iter().map(|row| Tool {
            service: service.clone(),
            detail: Detail::Outline(Box::new(row)),
        }))
    }

    /// Reads a file that the generator wrote, `tools.json` or `manifest.json`. Returns `None` if
    /// the file is neither.
    ///
    /// # Errors
    /// If the file looks like a table and cannot be read.
    pub fn of_table(text: &str) -> Result<Option<Self>, NotAnInventory> {
        /// The fields that distinguish a table from a specification.
        #[derive(Deserialize)]
        struct Glance {
            #[serde(rename = "service")]
            _service: ServiceName,
            tools: Vec<Value>,
        }
        let Ok(Glance { tools, .. }) = serde_json::from_str(text) else {
            return Ok(None);
        };
        let is_whole = |tool: &Value| tool.get("input_schema").is_some();
        let inventory = if tools.first().is_none_or(is_whole) {
            ToolSpec::list_from_json(text).map(Self::of_specs)
        } else {
            Manifest::from_json(text).map(Self::of_manifest)
        };
        inventory.map(Some).map_err(NotAnInventory)
    }

    /// Merges two inventories.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self::sorted(self.tools.into_iter().chain(other.tools))
    }

    /// Keeps only the tools of one service.
    #[must_use]
    pub fn of_service(mut self, service: &ServiceName) -> Self {
        self.tools.retain(|tool| tool.service == *service);
        self
    }

    /// Returns the tools, ordered by name.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn sorted(tools: impl Iterator<Item = Tool>) -> Self {
        let mut tools: Vec<Tool> = tools.collect();
        tools.sort_by(|a, b| a.name().cmp(b.name()));
        Self { tools }
    }
}

impl Tool {
    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &ToolName {
        match &self.detail {
            Detail::Whole(spec) => &spec.name,
            Detail::Outline(row) => &row.name,
        }
    }

    /// Returns the service.
    #[must_use]
    pub const fn service(&self) -> &ServiceName {
        &self.service
    }

    /// Returns the whole record, if known.
    #[must_use]
    pub fn spec(&self) -> Option<&ToolSpec> {
        match &self.detail {
            Detail::Whole(spec) => Some(spec),
            Detail::Outline(_) => None,
        }
    }

    /// Returns the governance.
    #[must_use]
    pub fn governance(&self) -> Governance {
        match &self.detail {
            Detail::Whole(spec) => spec.governance(),
            Detail::Outline(row) => row.governance(),
        }
    }

    /// Describes the called operation: `GET /items/{id}`, or the function of a hand-written tool.
    #[must_use]
    pub fn operation(&self) -> String {
        match self.request() {
            Some((method, path)) => format!("{method} {path}"),
            None => self.origin().pointer.clone(),
        }
    }

    /// Returns the method and the path of the request.
    pub(super) fn request(&self) -> Option<(Method, Cow<'_, str>)> {
        match &self.detail {
            Detail::Whole(spec) => spec.endpoint(),
            Detail::Outline(row) => row.method.zip(row.path.as_deref().map(Cow::Borrowed)),
        }
    }

    pub(super) fn origin(&self) -> &Origin {
        match &self.detail {
            Detail::Whole(spec) => &spec.origin,
            Detail::Outline(row) => &row.source,
        }
    }

    pub(super) fn reason(&self) -> Option<&str> {
        match &self.detail {
            Detail::Whole(spec) => spec.reason.as_deref(),
            Detail::Outline(row) => row.reason.as_deref(),
        }
    }

    /// Returns the tool's row in a manifest.
    pub(super) fn row(&self) -> Cow<'_, Row> {
        match &self.detail {
            Detail::Whole(spec) => Cow::Owned(Row::from_spec(spec)),
            Detail::Outline(row) => Cow::Borrowed(row),
        }
    }

    /// Summarises an added or removed tool.
    pub(super) fn summary(&self) -> Value {
        let row = self.governance();
        let mut shown = json!({
            "operation": self.operation(),
            "category": row.category(),
            "effect": row.effect(),
            "approval_required": row.approval_required,
            "hints": row.hints,
            "enabled_by_default": row.enabled_by_default,
        });
        if let (Some(fields), Some(spec)) = (shown.as_object_mut(), self.spec()) {
            fields.insert("description".to_owned(), json!(spec.description));
        }
        shown
    }
}

/// Returns the fixed values of a request by their positions in it.
pub(super) fn fixed(spec: &ToolSpec) -> BTreeMap<String, &Value> {
    let parameters = spec.http().map(|http| http.parameters.as_slice());
    let parameters = parameters.unwrap_or_default().iter().map(|parameter| {
        let place = format!("{} `{}`", parameter.location, parameter.name);
        (place, &parameter.value)
    });
    let shape = match &spec.binding {
        Binding::Http(http) => http.body.as_ref().map(|body| &body.shape),
        Binding::Eab(eab) => Some(&eab.params),
        Binding::Mcp(mcp) => Some(&mcp.arguments),
        Binding::Native => None,
    };
    let body: Vec<(String, &Bound)> = match shape {
        Some(BodyShape::Whole(value)) => vec![("body".to_owned(), value)],
        Some(BodyShape::Fields(fields)) => fields
            .iter()
            .map(|field| (format!("body `{}`", field.name), &field.value))
            .collect(),
        None => Vec::new(),
    };
    let bounds = parameters.chain(body);
    bounds
        .filter_map(|(place, bound)| match bound {
            Bound::Fixed(value) => Some((place, value)),
            Bound::Argument(_) | Bound::Constant(_) => None,
        })
        .collect()
}

impl fmt::Display for NotAnInventory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected the records of a service's tools or a manifest: {}",
            self.0
        )
    }
}

impl std::error::Error for NotAnInventory {}

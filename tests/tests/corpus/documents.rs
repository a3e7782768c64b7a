//! The documents that the generator is tested on, read by an independent parser.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use toolwright::ToolSpec;
use toolwright_generator::{
    check::CheckedService,
    generate::{self, Accept, Input, Options, Outcome, Unnameable},
    load::Disk,
};
use toolwright_tests::shared;

/// A document and the generator's output for it.
pub(crate) struct Subject {
    /// The path below the shared folder.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The content as an independent parser reads it; `None` if it is neither JSON nor YAML.
    pub(crate) value: Option<Value>,
    /// The generator's output.
    pub(crate) outcome: Outcome,
    /// The records of the tools.
    pub(crate) tools: Vec<ToolSpec>,
}

impl Subject {
    pub(crate) fn read(path: &Path) -> Self {
        Self::new(path, run(path))
    }

    /// Generates the document as a service with this name.
    pub(crate) fn read_as(path: &Path, service: &str) -> Self {
        let input = Input::new(path.to_str().unwrap()).service(service);
        Self::new(path, generate::run(&[input], OPTIONS, &Disk))
    }

    fn new(path: &Path, outcome: Outcome) -> Self {
        let service = outcome
            .catalog
            .as_ref()
            .map(|catalog| &catalog.services()[0]);
        Self {
            name: name(path),
            path: path.to_owned(),
            value: value(path),
            tools: service.map(CheckedService::tool_specs).unwrap_or_default(),
            outcome,
        }
    }

    /// The generated service.
    pub(crate) fn service(&self) -> Option<&CheckedService> {
        self.outcome.catalog.as_ref()?.services().first()
    }

    /// The known specification version that the document declares.
    pub(crate) fn declares(&self) -> Option<&str> {
        let value = self.value.as_ref()?;
        let version = value["openapi"].as_str().or(value["swagger"].as_str())?;
        let known = ["2.0", "3.0", "3.1", "3.2"];
        known
            .iter()
            .any(|known| version.starts_with(known))
            .then_some(version)
    }

    /// The operations, each with a method and a path.
    pub(crate) fn operations(&self) -> BTreeSet<(String, String)> {
        let mut operations = BTreeSet::new();
        let paths = self.value.as_ref().map(|value| &value["paths"]);
        for (path, item) in paths.and_then(Value::as_object).into_iter().flatten() {
            if path.starts_with("x-") {
                continue;
            }
            let target = self.target(item);
            for item in [Some(item), target.as_deref()].into_iter().flatten() {
                let methods = methods(item).map(|method| (method, path.clone()));
                operations.extend(methods);
            }
        }
        operations
    }

    /// Resolves the `$ref` of a node, which may point into another file.
    fn target(&self, node: &Value) -> Option<Cow<'_, Value>> {
        let (file, pointer) = node["$ref"].as_str()?.split_once('#')?;
        if file.is_empty() {
            return self.value.as_ref()?.pointer(pointer).map(Cow::Borrowed);
        }
        let other = value(&self.path.parent()?.join(file))?;
        other.pointer(pointer).cloned().map(Cow::Owned)
    }
}

/// The methods of a path item.
fn methods(item: &Value) -> impl Iterator<Item = String> {
    let usual = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
    ];
    let keys = |value: &Value| -> Vec<String> {
        let fields = value.as_object();
        fields
            .into_iter()
            .flatten()
            .map(|(key, _)| key.clone())
            .collect()
    };
    let own = keys(item).into_iter();
    own.filter(move |key| usual.contains(&key.as_str()))
        .map(|key| key.to_uppercase())
        .chain(keys(&item["additionalOperations"]))
}

/// The path of a document below the shared folder.
pub(crate) fn name(path: &Path) -> String {
    let below = path.strip_prefix(shared::folder()).unwrap_or(path);
    below.display().to_string()
}

/// Skips operations without a name.
const OPTIONS: Options = Options {
    unnameable: Unnameable::LeaveOut,
    accept: Accept {
        renames: false,
        lowering: false,
    },
};

/// Generates a document without its unnamed operations.
pub(crate) fn run(path: &Path) -> Outcome {
    generate::run(&[Input::new(path.to_str().unwrap())], OPTIONS, &Disk)
}

/// Reads a document with an independent parser.
pub(crate) fn value(path: &Path) -> Option<Value> {
    let text = fs::read_to_string(path).ok()?;
    if path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        return serde_json::from_str(&text).ok();
    }
    // The documents are trusted, and `no` must stay a country code.
    let options = serde_saphyr::options! { budget: None, strict_booleans: true };
    serde_saphyr::from_str_with_options(&text, options).ok()
}

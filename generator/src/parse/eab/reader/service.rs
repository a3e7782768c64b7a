//! Reads the service section of a document.

use std::sync::Arc;

use toolwright_model::{
    ServiceName, Transport, TransportKind, eab::ApiVersion, settings::Reader as _,
};

use super::EabReader;
use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        source::Placed,
        tree::Node,
    },
    parse::eab::EabService,
};

const SERVICE: &[&str] = &[
    "name",
    "domain",
    "api_version",
    "transports",
    "artifact_types",
    "interface_types",
];

impl<'a> EabReader<'a, '_> {
    pub(super) fn service(&mut self, node: &'a Node) -> Option<(ServiceName, Arc<EabService>)> {
        self.check_keys(node, SERVICE);
        let name: Option<Placed<ServiceName>> = self.required(node, "name");
        let domain = self.required_text(node, "domain", "`service`");
        let api_version: Option<Placed<ApiVersion>> = self.required(node, "api_version");
        let transports = self.list(node, "transports", |reader, item| reader.transport(item));
        let mut texts = |key: &str| {
            let texts = self.strict.texts(node, key).into_iter();
            texts.map(|text| text.value).collect()
        };
        let (artifact_types, interface_types) = (texts("artifact_types"), texts("interface_types"));
        let name = name?.value;
        let service = EabService {
            name: name.to_string(),
            domain: domain?.value,
            api_version: api_version?.value,
            transports,
            artifact_types,
            interface_types,
        };
        Some((name, Arc::new(service)))
    }

    fn transport(&mut self, node: &'a Node) -> Option<Transport> {
        let node = self.object(node, "a transport")?;
        let kind = self.strict.word(node, "kind", TransportKind::ALL);
        let Some(kind) = kind else {
            if node.get("kind").is_none() {
                self.missing(node, "kind", "this transport");
            }
            return None;
        };
        let (key, begins, example) = match kind.value {
            TransportKind::Unix => ("path", &["/"][..], "/run/kicad.sock"),
            TransportKind::Http => (
                "base_url",
                &["http://", "https://"][..],
                "http://127.0.0.1:7071",
            ),
        };
        self.check_keys(node, &["kind", key]);
        let Placed { value, place } = self.required_text(node, key, "this transport")?;
        if !begins.iter().any(|start| value.starts_with(start)) {
            let message = format!("`{value}` is not a valid {key} of a transport");
            let fault = Diagnostic::error(Code::UnknownValue, place, message);
            self.strict
                .report(fault.help(format!("write a value such as `{example}`")));
            return None;
        }
        Some(match kind.value {
            TransportKind::Unix => Transport::Unix { path: value },
            TransportKind::Http => Transport::Http { base_url: value },
        })
    }

    fn list<T>(
        &mut self,
        node: &'a Node,
        key: &str,
        mut read: impl FnMut(&mut Self, &'a Node) -> Option<T>,
    ) -> Vec<T> {
        let Some(node) = node.get(key) else {
            return Vec::new();
        };
        let Some(items) = node.as_array() else {
            self.strict
                .wrong_type(node, &format!("`{key}`"), "an array");
            return Vec::new();
        };
        items.iter().filter_map(|item| read(self, item)).collect()
    }
}

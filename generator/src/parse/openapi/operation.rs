//! Reads one operation.

use std::sync::Arc;

use toolwright_model::{Location, Serialization, Style};

use super::{
    OperationKey, Parameter, ParsedOperation, Protocol, RequestBody, Response,
    parameter::DeclaredParameter,
    paths::{PathItem, template_names},
    reader::{Flavour, Inherited, OpenApiReader},
};
use crate::document::{
    diagnostic::{Code, Diagnostic},
    source::Place,
    tree::Node,
};

/// The request and the responses of an operation.
pub(super) struct Exchange<'a> {
    pub(super) parameters: Vec<Parameter<'a>>,
    pub(super) body: Option<RequestBody<'a>>,
    pub(super) responses: Vec<Response<'a>>,
}

impl<'a> OpenApiReader<'a, '_> {
    /// Reads an operation, including the parts inherited from its path and the document.
    pub(super) fn operation(
        &mut self,
        key: OperationKey,
        node: &'a Node,
        item: &PathItem<'a>,
        inherited: &Inherited<'a>,
    ) -> Option<ParsedOperation<'a>> {
        let node = self.object(node, "an operation")?;
        let declared = self.parameter_nodes([item.get("parameters"), node.get("parameters")]);
        let exchange = match &inherited.flavour {
            Flavour::OpenApi => self.openapi_exchange(node, declared),
            Flavour::Swagger { consumes, produces } => {
                self.swagger_exchange(node, declared, *consumes, *produces)
            }
        };
        let Exchange {
            mut parameters,
            body,
            responses,
        } = exchange?;
        self.fit_to_path(&key.path, key.place, &mut parameters);
        let servers = [node.get("servers"), item.get("servers")];
        let mut nearest = servers.into_iter().flatten();
        let servers = match nearest.find(|servers| servers.items().next().is_some()) {
            Some(servers) => self.servers(Some(servers)),
            None => Arc::clone(&inherited.servers),
        };
        Some(ParsedOperation {
            summary: self.text_at(node, "summary"),
            description: self.text_at(node, "description"),
            deprecated: node.is_true("deprecated"),
            security: self.security(node, inherited),
            has_own_security: node.get("security").is_some(),
            protocol: Protocol::Http,
            extensions: node
                .fields()
                .filter(|(name, _)| name.starts_with("x-"))
                .collect(),
            key,
            parameters,
            body,
            responses,
            servers,
        })
    }

    fn openapi_exchange(
        &mut self,
        node: &'a Node,
        declared: Option<Vec<DeclaredParameter<'a>>>,
    ) -> Option<Exchange<'a>> {
        let parameters: Option<Vec<_>> = declared.map(|nodes| {
            // Read every parameter before failing, so that all faults are reported.
            let nodes = nodes.into_iter();
            let read: Vec<_> = nodes.map(|declared| self.parameter(declared)).collect();
            read.into_iter().collect()
        })?;
        let body = node.get("requestBody");
        let body = body.map(|body| self.request_body(body));
        let responses = self.responses(node, Self::response);
        Some(Exchange {
            parameters: parameters?,
            body: match body {
                Some(read) => Some(read?),
                None => None,
            },
            responses,
        })
    }

    /// Matches the path parameters with the path template. Ignores a parameter that the path does
    /// not contain. Adds an undeclared parameter as a string, because every request needs it.
    fn fit_to_path(&mut self, path: &str, place: Place, parameters: &mut Vec<Parameter<'a>>) {
        let names = template_names(path);
        parameters.retain(|parameter| {
            let fits =
                parameter.location != Location::Path || names.contains(&parameter.name.as_str());
            if !fits {
                let name = &parameter.name;
                self.report(
                    Diagnostic::error(
                        Code::PathParameter,
                        parameter.place,
                        format!("the path does not contain the parameter `{name}`"),
                    )
                    .label("the parameter is ignored")
                    .also(place, format!("`{path}`"))
                    .help(format!(
                        "add `{{{name}}}` to the path, or remove the parameter"
                    )),
                );
            }
            fits
        });
        for name in names {
            let is_declared = parameters
                .iter()
                .any(|known| known.location == Location::Path && known.name == name);
            if !is_declared {
                self.report(
                    Diagnostic::error(
                        Code::PathParameter,
                        place,
                        format!("the parameter `{name}` of the path `{path}` is not declared"),
                    )
                    .label("it is treated as a string")
                    .help(format!("declare a parameter `{name}` with `in: path`")),
                );
                parameters.push(undeclared_parameter(name, place));
            }
        }
    }
}

fn undeclared_parameter<'a>(name: &str, place: Place) -> Parameter<'a> {
    Parameter {
        place,
        name: name.to_owned(),
        location: Location::Path,
        description: None,
        required: true,
        serialization: Serialization::Style {
            style: Style::Simple,
            explode: false,
            allow_reserved: false,
        },
        schema: None,
    }
}

//! The parts of Swagger 2.0 that differ from OpenAPI 3: parameters that are schemas, bodies and
//! forms as parameters, document-wide media types, a single server.

mod form;

use std::{borrow::Cow, sync::Arc};

use toolwright_model::{Location, Scheme, Serialization, StatusPattern, Style};

use super::{
    MediaType, Parameter, RequestBody, Response, Server,
    media_range::BodyKind,
    operation::Exchange,
    parameter::DeclaredParameter,
    reader::{Flavour, Inherited, OpenApiReader},
    response::header_names,
};
use crate::document::{
    diagnostic::{Code, Diagnostic},
    tree::Node,
};

impl<'a> OpenApiReader<'a, '_> {
    /// Returns the document-wide defaults of a Swagger 2.0 document.
    pub(super) fn swagger_root(&mut self, root: &'a Node) -> Inherited<'a> {
        let schemes = self.schemes(root.get("securityDefinitions"), Self::swagger_scheme);
        Inherited {
            servers: self.swagger_servers(root),
            security: self.requirements(root.get("security"), &schemes),
            schemes,
            flavour: Flavour::Swagger {
                consumes: root.get("consumes"),
                produces: root.get("produces"),
            },
        }
    }

    /// Reads the request and the responses of a Swagger 2.0 operation.
    pub(super) fn swagger_exchange(
        &mut self,
        node: &'a Node,
        declared: Option<Vec<DeclaredParameter<'a>>>,
        consumes: Option<&'a Node>,
        produces: Option<&'a Node>,
    ) -> Option<Exchange<'a>> {
        let consumes = self.media_types(node.get("consumes").or(consumes));
        let produces = self.media_types(node.get("produces").or(produces));
        let mut parameters = Vec::new();
        let mut body = None;
        let mut fields = Vec::new();
        let mut sound = true;
        for declared in declared? {
            match declared.node.str_at("in") {
                Some("body") => body = Some(self.swagger_body(declared, &consumes)),
                Some("formData") => fields.push(declared.node),
                _ => match self.swagger_parameter(declared) {
                    Some(parameter) => parameters.push(parameter),
                    None => sound = false,
                },
            }
        }
        if !fields.is_empty() {
            body = body.or(Some(self.form_body(&fields, &consumes)?));
        }
        let responses = self.responses(node, |reader, status, node| {
            reader.swagger_response(status, node, &produces)
        });
        sound.then_some(Exchange {
            parameters,
            body,
            responses,
        })
    }

    /// Returns the media types of a list, or JSON if the list is empty.
    fn media_types(&self, list: Option<&Node>) -> Vec<String> {
        let named = list.into_iter().flat_map(Node::items);
        let named: Vec<_> = named
            .filter_map(Node::as_str)
            .map(|name| name.trim().to_owned())
            .collect();
        if named.is_empty() {
            return vec!["application/json".to_owned()];
        }
        named
    }

    fn swagger_parameter(&mut self, declared: DeclaredParameter<'a>) -> Option<Parameter<'a>> {
        let node = declared.node;
        let name = self.required_text(node, "name", "this parameter");
        let location = self.location(node)?;
        let (style, explode) = collection_format(node, location);
        Some(Parameter {
            place: self.first_line(node),
            name: name?,
            location,
            description: self.declared_description(declared),
            required: location == Location::Path || node.is_true("required"),
            serialization: Serialization::Style {
                style,
                explode,
                allow_reserved: false,
            },
            schema: Some(node),
        })
    }

    fn swagger_body(
        &self,
        declared: DeclaredParameter<'a>,
        consumes: &[String],
    ) -> RequestBody<'a> {
        let node = declared.node;
        RequestBody {
            place: self.first_line(node),
            description: self.declared_description(declared),
            required: node.is_true("required"),
            content: with_schema(consumes, node.get("schema")),
        }
    }

    fn swagger_response(
        &mut self,
        status: StatusPattern,
        reference: &'a Node,
        produces: &[String],
    ) -> Option<Response<'a>> {
        let node = self.object(reference, "a response")?;
        let content = match node.get("schema") {
            None => Vec::new(),
            Some(schema) if schema.str_at("type") == Some("file") => file_content(produces),
            Some(schema) => with_schema(produces, Some(schema)),
        };
        Some(Response {
            status,
            description: self.description(reference, node).unwrap_or_default(),
            content,
            headers: header_names(node),
        })
    }

    /// Returns one server per scheme. `https` comes first and is the default scheme. Without a
    /// host, the server URL is relative.
    fn swagger_servers(&self, root: &Node) -> Arc<[Server]> {
        let path = self.text_at(root, "basePath").unwrap_or_default();
        let path = path.trim_end_matches('/');
        let host = self.text_at(root, "host").filter(|host| !host.is_empty());
        let named = |key| root.field(key).map(|field| field.node.place);
        let place = named("host").or_else(|| named("basePath"));
        let mut schemes = self.texts_at(root, "schemes");
        schemes.sort_by_key(|scheme| scheme != "https");
        let urls = match host {
            None if path.is_empty() => Vec::new(),
            None => vec![path.to_owned()],
            Some(host) if schemes.is_empty() => vec![format!("https://{host}{path}")],
            Some(host) => {
                let schemes = schemes.iter();
                let urls = schemes.map(|scheme| format!("{scheme}://{host}{path}"));
                urls.collect()
            }
        };
        let servers = urls.into_iter().enumerate().map(|(index, url)| Server {
            place: place.unwrap_or(root.place),
            index,
            url,
            description: None,
            variables: Vec::new(),
        });
        servers.collect()
    }

    fn swagger_scheme(&mut self, node: &'a Node) -> Option<Scheme> {
        match self
            .required_text(node, "type", "this security scheme")?
            .as_str()
        {
            "basic" => Some(Scheme::Basic),
            "oauth2" => Some(Scheme::OAuth2),
            "apiKey" => {
                let name = self.required_text(node, "name", "this `apiKey` scheme")?;
                let location = match node.str_at("in") {
                    Some("query") => Location::Query,
                    Some("header") | None => Location::Header,
                    Some(other) => {
                        self.unknown_key_location(node, other);
                        return None;
                    }
                };
                Some(Scheme::ApiKey {
                    location,
                    name,
                    prefix: None,
                })
            }
            other => Some(Scheme::Other(other.to_owned())),
        }
    }

    fn unknown_key_location(&mut self, node: &Node, found: &str) {
        let place = node.get("in").map_or(node.place, |node| node.place);
        self.report(
            Diagnostic::error(
                Code::UnknownValue,
                place,
                format!("`{found}` is not a location of API keys"),
            )
            .label("expected `header` or `query`"),
        );
    }
}

/// Returns the serialization of an array's elements.
fn collection_format(node: &Node, location: Location) -> (Style, bool) {
    match (node.str_at("collectionFormat"), location) {
        (_, Location::Path | Location::Header) => (Style::Simple, false),
        (Some("multi"), _) => (Style::Form, true),
        (Some("ssv"), _) => (Style::SpaceDelimited, false),
        (Some("tsv"), _) => (Style::TabDelimited, false),
        (Some("pipes"), _) => (Style::PipeDelimited, false),
        _ => (Style::Form, false),
    }
}

fn with_schema<'a>(names: &[String], schema: Option<&'a Node>) -> Vec<MediaType<'a>> {
    names
        .iter()
        .map(|name| MediaType {
            name: name.clone(),
            schema: schema.map(Cow::Borrowed),
            item_schema: None,
            encoding: Vec::new(),
            part_headers: Vec::new(),
        })
        .collect()
}

/// Returns the media types of a file response. A file is bytes even if the document produces JSON
/// by default.
fn file_content<'a>(produces: &[String]) -> Vec<MediaType<'a>> {
    let names: Vec<String> = produces
        .iter()
        .filter(|name| BodyKind::parse(name) != BodyKind::Json)
        .cloned()
        .collect();
    if names.is_empty() {
        return with_schema(&["application/octet-stream".to_owned()], None);
    }
    with_schema(&names, None)
}

//! gRPC services, from the tree of a `.proto` file or a descriptor set.
//!
//! A method is an operation `POST /<service>/<method>` whose body is the JSON of its request, so the
//! document is parsed into the same record as an OpenAPI document. The tree was built by the loading
//! stage: a part that is not as expected is left out.

use std::{borrow::Cow, sync::Arc};

use toolwright_model::{
    Descriptors, GrpcCall, JsonPointer, Method, Scheme, SecurityRequirement, ServiceName,
    StatusPattern,
};

use super::{
    dialect::Dialect,
    openapi::{
        Document, MediaType, OperationKey, ParsedOperation, Protocol, RequestBody, Response,
        Schemes, Server,
    },
};
pub(crate) use crate::document::proto::MARK;
use crate::{
    document::{
        documents::Documents,
        source::{SourceId, Sources},
        tree::{Field, Node},
    },
    language::singular,
};

/// The properties of a method that other operations do not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GrpcMethod {
    /// The call.
    pub(crate) call: GrpcCall,
    /// True if the client sends a stream of messages, which no tool can.
    pub(crate) client_streaming: bool,
    /// True if the document declares that a call has no side effects.
    pub(crate) no_side_effects: bool,
    /// The name of the service, if the document has several.
    pub(crate) namespace: Option<String>,
    /// The HTTP method and path of the same operation, if the document maps it to HTTP.
    pub(crate) http: Option<(Method, String)>,
}

/// A service of the document.
struct Service<'a> {
    name: &'a str,
    short: &'a str,
    /// True if the document has other services too.
    several: bool,
    servers: Arc<[Server]>,
    scopes: Vec<String>,
    descriptors: Descriptors,
    failure: Option<&'a Node>,
}

/// Parses the services of a document.
pub(crate) fn parse<'a>(
    documents: &'a Documents,
    sources: &'a Sources,
    source: SourceId,
) -> Option<Document<'a>> {
    let root = documents.root(source)?;
    let descriptors = Descriptors::new(root.str_at("descriptors").unwrap_or_default());
    let mut operations = Vec::new();
    let mut title = Vec::new();
    let services: Vec<_> = root
        .get("services")
        .into_iter()
        .flat_map(Node::fields)
        .collect();
    let several = services.len() > 1;
    for (name, node) in services {
        let short = node.str_at("name").unwrap_or_default();
        title.push(short);
        let service = Service {
            name,
            short,
            several,
            servers: servers(node),
            scopes: node.get("scopes").into_iter().flat_map(texts).collect(),
            descriptors: descriptors.clone(),
            failure: root.get("failure"),
        };
        let methods = node.get("methods").and_then(Node::as_object);
        for (name, field) in methods.into_iter().flatten() {
            operations.push(service.operation(name, field));
        }
    }
    let package = root.str_at("package").unwrap_or_default();
    let path = sources.path(source);
    Some(Document {
        source,
        file_name: path.rsplit('/').next().unwrap_or_default().to_owned(),
        format: "grpc".to_owned(),
        dialect: Dialect::JsonSchema,
        title: title.join(", "),
        version: version_of(package).unwrap_or_default().to_owned(),
        service: service_name(package),
        servers: Vec::new().into(),
        schemes: Schemes::new(),
        operations,
        broken: Vec::new(),
    })
}

impl<'a> Service<'a> {
    fn operation(&self, name: &str, field: &'a Field) -> ParsedOperation<'a> {
        let node = &field.node;
        let server_streaming = node.is_true("serverStreaming");
        let level = node.str_at("idempotencyLevel");
        let http = node.get("http").and_then(http_rule);
        let reads = |(method, _): &(Method, String)| *method == Method::Get;
        let call = GrpcCall {
            method: format!("{}.{name}", self.name),
            request: node.str_at("request").unwrap_or_default().to_owned(),
            response: node.str_at("response").unwrap_or_default().to_owned(),
            server_streaming,
            idempotent: level.is_some() || http.as_ref().is_some_and(reads),
            descriptors: self.descriptors.clone(),
        };
        let pointer = JsonPointer::from_iter(["services", self.name, "methods", name]);
        let own = !self.scopes.is_empty();
        ParsedOperation {
            key: OperationKey {
                method: Method::Post,
                path: call.path(),
                operation_id: Some(name.to_owned()),
                place: field.key,
                pointer: pointer.into(),
                tags: vec![self.short.to_owned()],
            },
            summary: None,
            description: node.str_at("description").map(str::to_owned),
            deprecated: node.is_true("deprecated"),
            parameters: Vec::new(),
            body: node.get("input").map(body),
            responses: self.responses(node.get("output"), server_streaming),
            servers: Arc::clone(&self.servers),
            security: if own {
                vec![vec![self.token()]]
            } else {
                Vec::new()
            },
            // The scopes are those of all methods, so they are no evidence for one.
            has_own_security: false,
            extensions: Vec::new(),
            protocol: Protocol::Grpc(GrpcMethod {
                call,
                client_streaming: node.is_true("clientStreaming"),
                no_side_effects: level == Some("NO_SIDE_EFFECTS"),
                namespace: self.several.then(|| self.short.to_owned()),
                http,
            }),
        }
    }

    fn token(&self) -> SecurityRequirement {
        SecurityRequirement {
            scheme: "oauth".to_owned(),
            kind: Scheme::OAuth2,
            scopes: self.scopes.clone(),
        }
    }

    /// The message or the stream of messages, and the status of a call that fails.
    fn responses(&self, output: Option<&'a Node>, streams: bool) -> Vec<Response<'a>> {
        let content = output.map(|output| match streams {
            true => MediaType {
                item_schema: Some(output),
                ..media_type("application/x-ndjson", None)
            },
            false => media_type("application/json", Some(output)),
        });
        let success = Response {
            status: StatusPattern::Exact(200),
            description: "The answer of the method.".to_owned(),
            content: content.into_iter().collect(),
            headers: Vec::new(),
        };
        let failure = self.failure.map(|schema| Response {
            status: StatusPattern::Default,
            description: "The call failed.".to_owned(),
            content: vec![media_type("application/json", Some(schema))],
            headers: Vec::new(),
        });
        std::iter::once(success).chain(failure).collect()
    }
}

fn servers(service: &Node) -> Arc<[Server]> {
    let host = service
        .get("host")
        .and_then(|node| Some((node, node.as_str()?)));
    let server = host.map(|(node, host)| Server {
        place: node.place,
        index: 0,
        url: format!("https://{host}"),
        description: None,
        variables: Vec::new(),
    });
    server.into_iter().collect()
}

fn body(schema: &Node) -> RequestBody<'_> {
    RequestBody {
        place: schema.place,
        description: None,
        required: true,
        content: vec![media_type("application/json", Some(schema))],
    }
}

fn media_type<'a>(name: &str, schema: Option<&'a Node>) -> MediaType<'a> {
    MediaType {
        name: name.to_owned(),
        schema: schema.map(Cow::Borrowed),
        item_schema: None,
        encoding: Vec::new(),
        part_headers: Vec::new(),
    }
}

fn http_rule(node: &Node) -> Option<(Method, String)> {
    let method = Method::from_word(node.str_at("method")?)?;
    Some((method, flat_path(node.str_at("path")?)))
}

/// Returns a path with a parameter for each wildcard of a template:
/// `/v1/projects/{project}/topics/{topic}` of `/v1/{name=projects/*/topics/*}`.
fn flat_path(template: &str) -> String {
    let mut path = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        path.push_str(before);
        let Some((variable, after)) = after.split_once('}') else {
            return path;
        };
        rest = after;
        let (field, pattern) = variable.split_once('=').unwrap_or((variable, "*"));
        let field = field.rsplit('.').next().unwrap_or(field);
        let mut previous = "";
        for (at, segment) in pattern.split('/').enumerate() {
            if at > 0 {
                path.push('/');
            }
            match segment {
                "*" | "**" if previous.is_empty() => path.push_str(&format!("{{{field}}}")),
                "*" | "**" => path.push_str(&format!("{{{}}}", singular(previous))),
                literal => path.push_str(literal),
            }
            previous = segment.trim_matches('*');
        }
    }
    path.push_str(rest);
    path
}

fn texts(node: &Node) -> impl Iterator<Item = String> {
    node.items().filter_map(Node::as_str).map(str::to_owned)
}

/// Returns the name of the service: the last word of its package that is no version.
fn service_name(package: &str) -> Option<ServiceName> {
    let words = package.rsplit('.').filter(|word| !is_version(word));
    let mut names = words.map(|word| word.to_ascii_lowercase().replace('_', ""));
    names.find_map(|name| ServiceName::new(name).ok())
}

fn version_of(package: &str) -> Option<&str> {
    package.rsplit('.').find(|word| is_version(word))
}

/// Checks whether a word is a version: `v1`, `v1beta1`.
fn is_version(word: &str) -> bool {
    let rest = word.strip_prefix('v').unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_named_after_their_packages() {
        for (package, name) in [
            ("google.pubsub.v1", Some("pubsub")),
            ("google.cloud.speech.v1p1beta1", Some("speech")),
            ("my_shop", Some("myshop")),
            ("v1", None),
            ("", None),
        ] {
            let found = service_name(package);
            assert_eq!(found.as_ref().map(ServiceName::as_str), name, "{package}");
        }
        assert_eq!(version_of("google.pubsub.v1"), Some("v1"));
    }

    #[test]
    fn wildcards_become_parameters() {
        for (template, path) in [
            (
                "/v1/{name=projects/*/topics/*}",
                "/v1/projects/{project}/topics/{topic}",
            ),
            (
                "/v1/{topic.name=shops/*}:publish",
                "/v1/shops/{shop}:publish",
            ),
            ("/v1/shops/{id}/{rest=**}", "/v1/shops/{id}/{rest}"),
            ("/v1/{parent=*}/books", "/v1/{parent}/books"),
            ("/v1/{broken", "/v1/"),
            ("/v1/shops", "/v1/shops"),
        ] {
            assert_eq!(flat_path(template), path);
        }
    }
}

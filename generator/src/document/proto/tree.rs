//! The tree of a document: services, methods, schemas and descriptors.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use prost_reflect::{FileDescriptor, MessageDescriptor, MethodDescriptor, ServiceDescriptor};
use prost_types::method_options::IdempotencyLevel;
use serde_json::json;

use super::{
    MARK, closure, known, options,
    places::Places,
    schema::{Reached, Schemas, TYPES, object, set},
};
use crate::document::{
    source::{Place, SourceId},
    tree::{
        Field, Fields, Node,
        nodes::{boolean, keyed, text, value},
    },
};

/// Builds the tree of the services of some files.
pub(super) fn build(files: &[FileDescriptor], places: &Places, source: SourceId) -> Node {
    let place = Place::start_of(source);
    let (reached, results) = reached(files);
    let schemas = Schemas::new(&reached, &results, places);
    let mut services = Fields::default();
    for service in files.iter().flat_map(FileDescriptor::services) {
        let node = service_node(&service, &schemas, places);
        let key = node.place;
        services.insert(service.full_name().to_owned(), Field { key, node });
    }
    let mut with_services = files.iter().filter(|file| file.services().len() > 0);
    let package = with_services.next().map(FileDescriptor::package_name);
    let package = package.unwrap_or_default();
    let descriptors = BASE64_STANDARD.encode(closure::encode(&reached));
    let mut root = object(&json!({MARK: "1", "package": package}), place);
    set(&mut root, "services", Some(keyed(place, services)));
    set(&mut root, TYPES, Some(keyed(place, schemas.all(&reached))));
    set(&mut root, "failure", Some(value(place, &known::failure())));
    set(&mut root, "descriptors", Some(text(place, descriptors)));
    keyed(place, root)
}

/// Returns the types that the offered methods reach, and those that their results do.
fn reached(files: &[FileDescriptor]) -> (Reached, Reached) {
    let (mut all, mut results) = (Reached::default(), Reached::default());
    let services = files.iter().flat_map(FileDescriptor::services);
    for service in services {
        for method in service
            .methods()
            .filter(|method| !method.is_client_streaming())
        {
            all.add(method.input());
            all.add(method.output());
            results.add(method.output());
        }
    }
    (all, results)
}

fn service_node(service: &ServiceDescriptor, schemas: &Schemas<'_>, places: &Places) -> Node {
    let file = service.parent_file();
    let place = places.place(&file, service.path(), service.full_name());
    let mut methods = Fields::default();
    for method in service.methods() {
        let node = method_node(&method, schemas, places);
        let key = node.place;
        methods.insert(method.name().to_owned(), Field { key, node });
    }
    let mut node = object(&json!({"name": service.name()}), place);
    let comment = places.comment(&file, service.path());
    set(
        &mut node,
        "description",
        comment.map(|comment| text(place, comment)),
    );
    set(
        &mut node,
        "host",
        options::default_host(service).map(|host| text(place, host)),
    );
    let scopes = options::scopes(service);
    set(
        &mut node,
        "scopes",
        (!scopes.is_empty()).then(|| value(place, &json!(scopes))),
    );
    set(&mut node, "methods", Some(keyed(place, methods)));
    keyed(place, node)
}

fn method_node(method: &MethodDescriptor, schemas: &Schemas<'_>, places: &Places) -> Node {
    let file = method.parent_file();
    let place = places.place(&file, method.path(), method.full_name());
    let (input, output) = (method.input(), method.output());
    let mut node = object(
        &json!({"request": input.full_name(), "response": output.full_name()}),
        place,
    );
    let comment = places.comment(&file, method.path());
    set(
        &mut node,
        "description",
        comment.map(|comment| text(place, comment)),
    );
    let proto = method.method_descriptor_proto();
    let deprecated = proto
        .options
        .as_ref()
        .is_some_and(|options| options.deprecated == Some(true));
    for (key, holds) in [
        ("deprecated", deprecated),
        ("clientStreaming", method.is_client_streaming()),
        ("serverStreaming", method.is_server_streaming()),
    ] {
        set(&mut node, key, holds.then(|| boolean(place, true)));
    }
    let idempotency = match options::idempotency(method) {
        Some(IdempotencyLevel::NoSideEffects) => Some("NO_SIDE_EFFECTS"),
        Some(IdempotencyLevel::Idempotent) => Some("IDEMPOTENT"),
        Some(IdempotencyLevel::IdempotencyUnknown) | None => None,
    };
    set(
        &mut node,
        "idempotencyLevel",
        idempotency.map(|level| text(place, level)),
    );
    if let Some(rule) = options::http_rule(method) {
        let rule = value(place, &json!({"method": rule.method, "path": rule.path}));
        set(&mut node, "http", Some(rule));
    }
    if !method.is_client_streaming() {
        let request = has_json_form(&input).then(|| schemas.request(&input, place));
        set(&mut node, "input", request);
        let response = has_json_form(&output).then(|| schemas.message(&output, place));
        set(&mut node, "output", response);
    }
    keyed(place, node)
}

/// Checks whether a message has anything in it: fields, or a JSON form of its own.
fn has_json_form(message: &MessageDescriptor) -> bool {
    message.fields().len() > 0 || known::schema_of(message.full_name()).is_some()
}

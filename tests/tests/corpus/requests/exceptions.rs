//! Reviewed exceptions: requests that the validator rejects or that cannot be built, each with the
//! reason. They do not count as valid.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use toolwright_tests::shared;

/// A reviewed exception.
struct Exception {
    /// The end of the document's path; empty for all documents.
    document: &'static str,
    /// A part of the operation's method and path; empty for all operations.
    operation: &'static str,
    /// The parts that the validator's message must contain.
    messages: &'static [&'static str],
    /// The reason for the exception.
    reason: &'static str,
}

/// The indices of the exceptions that applied to a request.
static USED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// Returns the reviewed reason of a fault.
pub(super) fn reason(document: &str, operation: &str, fault: &str) -> Option<&'static str> {
    let mut all = EXCEPTIONS.iter().enumerate();
    let (index, exception) = all.find(|(_, exception)| {
        document.ends_with(exception.document)
            && operation.contains(exception.operation)
            && exception.messages.iter().all(|words| fault.contains(words))
    })?;
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    used.insert(index);
    Some(exception.reason)
}

/// Returns the unused exceptions among the tested documents.
pub(super) fn unused(documents: &[PathBuf]) -> Vec<String> {
    let used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    let all = shared::documents().map_or(0, |all| all.len());
    let judged = |exception: &Exception| match exception.document {
        "" => documents.len() == all,
        document => documents
            .iter()
            .any(|path| path.ends_with(document) || path.to_string_lossy().ends_with(document)),
    };
    let unused = EXCEPTIONS
        .iter()
        .enumerate()
        .filter(|(index, exception)| !used.contains(index) && judged(exception));
    unused
        .map(|(_, exception)| {
            let Exception {
                document,
                operation,
                messages,
                ..
            } = exception;
            format!("the exception for `{document}`, `{operation}`, {messages:?}")
        })
        .collect()
}

// Reasons that several exceptions share.
const OVERLAP: &str = "the document's variants overlap: one value matches several of them, and there is no discriminator";
const EMPTY_FORM: &str =
    "no field is required, and Prism treats a form without fields as a missing body";
const BYTES: &str = "the document declares an attachment as `format: byte` in `application/octet-stream`; the request contains raw bytes rather than base64, like the vendor's clients";
const UNDEFINED_SCHEME: &str = "the document requires a security scheme that it does not define";
const NO_PLACEHOLDER: &str = "the document requires a path parameter that its path does not have";
const TEXT_JSON: &str =
    "the document's only type is `text/json`, which Prism does not read as JSON";
const PATTERN: &str = "in the document's pattern `..` excludes any two characters instead of two dots, so only strings shorter than its `minLength` match";
const CONTRADICTS: &str = "the document contradicts itself: no value satisfies it";
const NULL_LIST: &str = "the document's parameter is an array that contains only null";
const NESTED: &str = "an object or an array within an object has no meaning in a query or a path, and OpenAPI does not define its encoding";

const EXCEPTIONS: &[Exception] = &[
    Exception {
        document: "apache-generated-bundled-polaris-catalog-service.yaml",
        operation: "/v1/{prefix}/namespaces/{namespace}/",
        messages: &["initial-default", "oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "box-openapi-openapi.json",
        operation: "GET /search",
        messages: &["`query/mdfilters/0`", "must be object"],
        reason: NESTED,
    },
    Exception {
        document: "cloudflare-openapi.json",
        operation: "/waiting_rooms/{waiting_room_id}/rules/{rule_id}",
        messages: &["`body/position`", "exactly one schema in oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "cloudflare-openapi.json",
        operation: "/intel/asn/{asn}",
        messages: &["`path/asn/top_domains`"],
        reason: NESTED,
    },
    Exception {
        document: "datadog-v1-openapi.yaml",
        operation: "POST /api/v1/distribution_points",
        messages: &["[text/json]", "must be object"],
        reason: TEXT_JSON,
    },
    Exception {
        document: "datadog-v1-openapi.yaml",
        operation: "POST /api/v1/series",
        messages: &["[text/json]", "must be object"],
        reason: TEXT_JSON,
    },
    Exception {
        document: "figma-openapi-openapi.yaml",
        operation: "POST /v1/files/{file_key}/variables",
        messages: &["minProperties `body`"],
        reason: "the fields of the body are separate arguments, and the schema does not require at least one of them",
    },
    Exception {
        document: "intercom-0-api-intercom-io.yaml",
        operation: "POST /conversations",
        messages: &["`body/from/id`", "format \"uuid\""],
        reason: CONTRADICTS,
    },
    Exception {
        document: "kittycad-spec.json",
        operation: "POST /oauth2/provider/{provider}/callback",
        messages: &["Body parameter is required"],
        reason: EMPTY_FORM,
    },
    Exception {
        document: "linode-openapi.yaml",
        operation: "",
        messages: &["`body/label`", "must match pattern", "(?!--|__|..)"],
        reason: PATTERN,
    },
    Exception {
        document: "oapi-codegen-roundtrip-parameters.yaml",
        operation: "GET /labelExplodeObject",
        messages: &["`path/param`", "'firstName'"],
        reason: "Prism splits the fields of an exploded label at commas instead of dots",
    },
    Exception {
        document: "ogen-go-positive-sample.json",
        operation: "POST /oneofBug",
        messages: &["exactly one schema in oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-3-1-specific-openapi.yaml",
        operation: "POST /prefixItems",
        messages: &["prefixItemsAndItems"],
        reason: "Prism validates OpenAPI 3.1 with JSON Schema draft 7, which has no `prefixItems`",
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-baseline-openapi-3-0.json",
        operation: "POST /config/content-type-override",
        messages: &["internal_server_error"],
        reason: "the document declares a media type with two slashes, which crashes Prism",
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-baseline-openapi-3-0.json",
        operation: "POST /defaults",
        messages: &["`query/model_prop/a_property`"],
        reason: "two parameters of the document have the same names in the query",
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-baseline-openapi-3-0.json",
        operation: "GET /parameter-references/{path_param}",
        messages: &["the header `header param` is invalid"],
        reason: "the document's header name is invalid",
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-baseline-openapi-3-0.json",
        operation: "GET /tests/",
        messages: &["an_enum_value_with_only_null"],
        reason: NULL_LIST,
    },
    Exception {
        document: "ory-client-v1-22-65.json",
        operation: "POST /self-service/settings",
        messages: &["UNAUTHORIZED"],
        reason: UNDEFINED_SCHEME,
    },
    Exception {
        document: "ory-kratos-v26-2-0.json",
        operation: "POST /self-service/settings",
        messages: &["UNAUTHORIZED"],
        reason: UNDEFINED_SCHEME,
    },
    Exception {
        document: "pb33f-test-specs-petstorev2-complete-modified.yaml",
        operation: "POST /pet/{petId}/uploadImage",
        messages: &["No supported content types"],
        reason: "the document declares a form with the media type `burgers/cake`",
    },
    Exception {
        document: "readmeio-json-polymorphism.json",
        operation: "one-of",
        messages: &["exactly one schema in oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "readmeio-json-polymorphism.json",
        operation: "POST /one-of-with-type",
        messages: &["not sent", "more than one of the schemas"],
        reason: OVERLAP,
    },
    Exception {
        document: "readmeio-json-polymorphism.json",
        operation: "PATCH /pets",
        messages: &["`body/pet_type`"],
        reason: "the document's discriminator has no mapping, so the schema names apply, which the schema for agents does not contain",
    },
    Exception {
        document: "readmeio-json-schema-types.json",
        operation: "/anything/quirks/polymorphism",
        messages: &["must be string"],
        reason: CONTRADICTS,
    },
    Exception {
        document: "readmeio-json-schema-types.json",
        operation: "PUT /anything/strings",
        messages: &["date (with pattern)"],
        reason: "a string that matches the pattern may not be a date; the sampler uses only the pattern",
    },
    Exception {
        document: "readmeio-json-security-multiple.json",
        operation: "POST /anything/and",
        messages: &["UNAUTHORIZED"],
        reason: "the document requires two schemes at once that both fill the header `Authorization`",
    },
    Exception {
        document: "redocly-rebilly-rebilly-description.yaml",
        operation: "PATCH /payment-instruments/{id}",
        messages: &["`body`", "exactly one schema in oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "redocly-rebilly-rebilly-description.yaml",
        operation: "PATCH /kyc-requests/{id}",
        messages: &["Body parameter is required"],
        reason: "the document puts `required` next to a reference, where it has no effect; Prism applies it",
    },
    Exception {
        document: "services/portainer/client-api-go-swagger.yaml",
        operation: "/kubernetes/{id}/namespaces",
        messages: &["required property 'namespace'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "services/portainer/client-api-go-swagger.yaml",
        operation: "/helm/{release}/history",
        messages: &["required property 'name'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "services/portainer/client-api-go-swagger.yaml",
        operation: "/kubernetes/{id}/customresource",
        messages: &["required property 'plural'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "services/portainer/swagger.yaml",
        operation: "/endpoint_groups/:id",
        messages: &["required property 'id'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "swagger-api-resources-issue-455.json",
        operation: "GET /api/batch/",
        messages: &["required property 'serverid'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "swagger-api-resources-issue-877.yaml",
        operation: "GET /adopt",
        messages: &["required property 'playerid'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "twilio-json-twilio-oauth-v2.json",
        operation: "POST /v2/token",
        messages: &["Body parameter is required"],
        reason: EMPTY_FORM,
    },
    Exception {
        document: "xeroapi-xero-accounting.yaml",
        operation: "/Attachments/{FileName}",
        messages: &["[application/octet-stream] format `body`"],
        reason: BYTES,
    },
];

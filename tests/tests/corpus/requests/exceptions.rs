//! Requests that the judge refuses, or that cannot be made at all, each with the reason: reviewed
//! by hand. None of them counts as valid.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use toolwright_tests::shared;

/// A reviewed exception.
struct Exception {
    /// The end of the document's path; empty where it holds of all.
    document: &'static str,
    /// What stands in the method and path of the operation; empty where it holds of all.
    operation: &'static str,
    /// What stands in the judge's words: all of these.
    said: &'static [&'static str],
    /// Why it is so.
    reason: &'static str,
}

/// The exceptions that something was refused for, by their place in the list.
static USED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// The reason of a fault, if it is known.
pub(super) fn reason(document: &str, operation: &str, fault: &str) -> Option<&'static str> {
    let mut all = EXCEPTIONS.iter().enumerate();
    let (index, exception) = all.find(|(_, exception)| {
        document.ends_with(exception.document)
            && operation.contains(exception.operation)
            && exception.said.iter().all(|words| fault.contains(words))
    })?;
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    used.insert(index);
    Some(exception.reason)
}

/// The exceptions that nothing was refused for, though their documents have been judged.
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
                said,
                ..
            } = exception;
            format!("the exception of `{document}`, `{operation}`, {said:?}")
        })
        .collect()
}

// Reasons that hold of several.
const OVERLAP: &str = "the document's variants overlap: what it describes is more than one of them, and it has no discriminator";
const EMPTY_FORM: &str = "no field is required, and Prism takes a form without fields for no body";
const BYTES: &str = "the document's attachment is `format: byte` in `application/octet-stream`; what is sent is the bytes themselves, as the vendor's clients send them, and not base64 of them";
const UNDEFINED_SCHEME: &str = "the document requires a security scheme that it does not define, so nobody knows what Prism misses";
const NO_PLACEHOLDER: &str = "the document requires a path parameter that its path does not have";
const TEXT_JSON: &str =
    "the document's only type is `text/json`, which Prism does not read as JSON";
const PATTERN: &str = "the document's pattern, where `..` was to be two dots, matches texts of two letters, and its `minLength` is more";
const CONTRADICTS: &str = "the document contradicts itself: no value is all that it says";
const NULL_LIST: &str = "the document's parameter is an array of nothing but null";
const NESTED: &str = "an object or an array within an object has no meaning in a query or a path; OpenAPI says nothing of it";

/// All of them.
const EXCEPTIONS: &[Exception] = &[
    Exception {
        document: "apache-generated-bundled-polaris-catalog-service.yaml",
        operation: "/v1/{prefix}/namespaces/{namespace}/",
        said: &["initial-default", "oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "box-openapi-openapi.json",
        operation: "GET /search",
        said: &["`query/mdfilters/0`", "must be object"],
        reason: NESTED,
    },
    Exception {
        document: "cloudflare-openapi.json",
        operation: "/waiting_rooms/{waiting_room_id}/rules/{rule_id}",
        said: &["`body/position`", "exactly one schema in oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "cloudflare-openapi.json",
        operation: "/intel/asn/{asn}",
        said: &["`path/asn/top_domains`"],
        reason: NESTED,
    },
    Exception {
        document: "datadog-v1-openapi.yaml",
        operation: "POST /api/v1/distribution_points",
        said: &["[text/json]", "must be object"],
        reason: TEXT_JSON,
    },
    Exception {
        document: "datadog-v1-openapi.yaml",
        operation: "POST /api/v1/series",
        said: &["[text/json]", "must be object"],
        reason: TEXT_JSON,
    },
    Exception {
        document: "figma-openapi-openapi.yaml",
        operation: "POST /v1/files/{file_key}/variables",
        said: &["minProperties `body`"],
        reason: "the fields of the body are arguments of their own, of which the schema does not say that one of them has to be there",
    },
    Exception {
        document: "intercom-0-api-intercom-io.yaml",
        operation: "POST /conversations",
        said: &["`body/from/id`", "format \"uuid\""],
        reason: CONTRADICTS,
    },
    Exception {
        document: "kittycad-spec.json",
        operation: "POST /oauth2/provider/{provider}/callback",
        said: &["Body parameter is required"],
        reason: EMPTY_FORM,
    },
    Exception {
        document: "linode-openapi.yaml",
        operation: "",
        said: &["`body/label`", "must match pattern", "(?!--|__|..)"],
        reason: PATTERN,
    },
    Exception {
        document: "oapi-codegen-roundtrip-parameters.yaml",
        operation: "GET /labelExplodeObject",
        said: &["`path/param`", "'firstName'"],
        reason: "Prism takes the fields of an exploded label apart at commas, where they are set apart by dots",
    },
    Exception {
        document: "ogen-go-positive-sample.json",
        operation: "POST /oneofBug",
        said: &["exactly one schema in oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-3-1-specific-openapi.yaml",
        operation: "POST /prefixItems",
        said: &["prefixItemsAndItems"],
        reason: "Prism judges OpenAPI 3.1 by draft 7 of JSON Schema, which has no `prefixItems`",
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-baseline-openapi-3-0.json",
        operation: "POST /config/content-type-override",
        said: &["internal_server_error"],
        reason: "the document makes up a media type with two slashes, over which Prism fails",
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-baseline-openapi-3-0.json",
        operation: "POST /defaults",
        said: &["`query/model_prop/a_property`"],
        reason: "two parameters of the document stand in the query as fields of the same names",
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-baseline-openapi-3-0.json",
        operation: "GET /parameter-references/{path_param}",
        said: &["the header `header param` is not one"],
        reason: "no header can have the name that the document gives it",
    },
    Exception {
        document: "openapi-generators-end-to-end-tests-baseline-openapi-3-0.json",
        operation: "GET /tests/",
        said: &["an_enum_value_with_only_null"],
        reason: NULL_LIST,
    },
    Exception {
        document: "ory-client-v1-22-65.json",
        operation: "POST /self-service/settings",
        said: &["UNAUTHORIZED"],
        reason: UNDEFINED_SCHEME,
    },
    Exception {
        document: "ory-kratos-v26-2-0.json",
        operation: "POST /self-service/settings",
        said: &["UNAUTHORIZED"],
        reason: UNDEFINED_SCHEME,
    },
    Exception {
        document: "pb33f-test-specs-petstorev2-complete-modified.yaml",
        operation: "POST /pet/{petId}/uploadImage",
        said: &["No supported content types"],
        reason: "the document has a form that is to be sent as `burgers/cake`",
    },
    Exception {
        document: "readmeio-json-polymorphism.json",
        operation: "one-of",
        said: &["exactly one schema in oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "readmeio-json-polymorphism.json",
        operation: "POST /one-of-with-type",
        said: &["not sent", "more than one of the schemas"],
        reason: OVERLAP,
    },
    Exception {
        document: "readmeio-json-polymorphism.json",
        operation: "PATCH /pets",
        said: &["`body/pet_type`"],
        reason: "the document maps no values to its variants, so that OpenAPI takes the names of their schemas, which the schema for agents does not say",
    },
    Exception {
        document: "readmeio-json-schema-types.json",
        operation: "/anything/quirks/polymorphism",
        said: &["must be string"],
        reason: CONTRADICTS,
    },
    Exception {
        document: "readmeio-json-schema-types.json",
        operation: "PUT /anything/strings",
        said: &["date (with pattern)"],
        reason: "a text of the pattern need not be a date; the sampler looks at the pattern alone",
    },
    Exception {
        document: "readmeio-json-security-multiple.json",
        operation: "POST /anything/and",
        said: &["UNAUTHORIZED"],
        reason: "the document requires two schemes at once that both fill the header `Authorization`",
    },
    Exception {
        document: "redocly-rebilly-rebilly-description.yaml",
        operation: "PATCH /payment-instruments/{id}",
        said: &["`body`", "exactly one schema in oneOf"],
        reason: OVERLAP,
    },
    Exception {
        document: "redocly-rebilly-rebilly-description.yaml",
        operation: "PATCH /kyc-requests/{id}",
        said: &["Body parameter is required"],
        reason: "the document says `required` beside a reference, where it has no meaning; Prism heeds it",
    },
    Exception {
        document: "services/portainer/client-api-go-swagger.yaml",
        operation: "/kubernetes/{id}/namespaces",
        said: &["required property 'namespace'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "services/portainer/client-api-go-swagger.yaml",
        operation: "/helm/{release}/history",
        said: &["required property 'name'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "services/portainer/client-api-go-swagger.yaml",
        operation: "/kubernetes/{id}/customresource",
        said: &["required property 'plural'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "services/portainer/swagger.yaml",
        operation: "/endpoint_groups/:id",
        said: &["required property 'id'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "swagger-api-resources-issue-455.json",
        operation: "GET /api/batch/",
        said: &["required property 'serverid'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "swagger-api-resources-issue-877.yaml",
        operation: "GET /adopt",
        said: &["required property 'playerid'"],
        reason: NO_PLACEHOLDER,
    },
    Exception {
        document: "twilio-json-twilio-oauth-v2.json",
        operation: "POST /v2/token",
        said: &["Body parameter is required"],
        reason: EMPTY_FORM,
    },
    Exception {
        document: "xeroapi-xero-accounting.yaml",
        operation: "/Attachments/{FileName}",
        said: &["[application/octet-stream] format `body`"],
        reason: BYTES,
    },
];

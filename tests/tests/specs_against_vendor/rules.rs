//! The comparison recognises the same fact in different notations.

use crate::{
    compare::{Difference, Kind, differences},
    document::Document,
};

#[test]
fn a_header_that_authenticates_is_not_a_parameter() {
    let operation = |described: &str| {
        Document::read(&format!(
            "paths: {{/boxes: {{get: {{{described}}}}}}}\n{SCHEMES}"
        ))
    };
    let theirs = Document::read(
        "paths: {/boxes: {get: {parameters: [{name: Authorization, in: header, required: true}]}}}",
    );
    assert_eq!(
        differences(&operation("security: [{key: []}]"), &theirs),
        []
    );
    let found = differences(&operation("security: [{basic: []}]"), &theirs);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].place, "GET /boxes security");
}

#[test]
fn a_document_without_security_schemes_is_reported_once() {
    let ours =
        format!("security: [{{basic: []}}]\npaths: {{/a: {{get: {{}}, put: {{}}}}}}\n{SCHEMES}");
    let theirs = Document::read("paths: {/a: {get: {}, put: {}}}");
    let found = differences(&Document::read(&ours), &theirs);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].place.starts_with("security "), "{found:?}");
}

#[test]
fn a_request_may_lack_a_read_only_property() {
    let document = |properties: &str, required: &str| {
        Document::read(&format!(
            "paths: {{/a: {{post: {{requestBody: {{content: {{application/json: {{schema: \
             {{type: object, required: [{required}], properties: {{{properties}}}}}}}}}}}}}}}}}"
        ))
    };
    let ours = document("name: {type: string}", "name");
    let theirs = |mark: &str| {
        document(
            &format!("name: {{type: string}}, id: {{type: integer, readOnly: {mark}}}"),
            "name, id",
        )
    };
    assert_eq!(differences(&ours, &theirs("true")), []);
    assert_eq!(differences(&ours, &theirs("false")).len(), 1);
}

#[test]
fn swagger_and_openapi_documents_can_be_equal() {
    let swagger = Document::read(SWAGGER);
    assert_eq!(differences(&swagger, &Document::read(OPENAPI)), []);
    for (from, to, place, kind) in [
        ("basePath: /api", "basePath: /v2", "servers", Kind::Extra),
        ("maximum: 9", "maximum: 8", "GET /a query size", Kind::Limit),
        (
            "collectionFormat: multi, ",
            "",
            "GET /a query tags",
            Kind::Style,
        ),
        (
            "x-nullable: true",
            "x-nullable: false",
            "Thing.note",
            Kind::Nullable,
        ),
        (
            "type: basic",
            "type: oauth2",
            "GET /a security",
            Kind::Extra,
        ),
        (
            "required: true, type: file",
            "type: file",
            "POST /a body.file",
            Kind::Required,
        ),
        (
            "schema: {$ref: '#/definitions/Thing'}}",
            "schema: {type: string}}",
            "PUT /a body",
            Kind::Type,
        ),
    ] {
        assert!(SWAGGER.contains(from), "`{from}` is not in the document");
        let found = differences(
            &Document::read(&SWAGGER.replace(from, to)),
            &Document::read(OPENAPI),
        );
        let right = |one: &Difference| one.place == place && one.kind == kind;
        assert!(found.iter().any(right), "`{from}` → `{to}`: {found:?}");
    }
}

const SCHEMES: &str = "
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: Authorization}
    basic: {type: http, scheme: basic}
";

const SWAGGER: &str = "
swagger: '2.0'
basePath: /api
security: [{login: []}]
paths:
  /a:
    get:
      parameters:
        - {$ref: '#/parameters/N'}
        - {name: tags, in: query, collectionFormat: multi, type: array, items: {type: string}}
      responses: {'200': {$ref: '#/responses/Thing'}}
    put:
      parameters: [{name: body, in: body, required: true, schema: {$ref: '#/definitions/Thing'}}]
      responses: {'204': {description: ok}}
    post:
      consumes: [multipart/form-data]
      parameters: [{name: file, in: formData, required: true, type: file}]
      responses: {'204': {description: ok, headers: {X-Id: {type: integer}}}}
parameters:
  N: {name: size, in: query, type: integer, maximum: 9}
responses:
  Thing: {description: ok, schema: {$ref: '#/definitions/Thing'}}
definitions:
  Thing: {type: object, properties: {note: {type: string, x-nullable: true}}}
securityDefinitions:
  login: {type: basic}
";

const OPENAPI: &str = "
openapi: 3.0.3
servers: [{url: /api}]
security: [{login: []}]
paths:
  /a:
    get:
      parameters:
        - {name: size, in: query, schema: {type: integer, maximum: 9}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
      responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}
    put:
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
      responses: {'204': {}}
    post:
      requestBody:
        content:
          multipart/form-data:
            schema: {type: object, required: [file], properties: {file: {type: string, format: binary}}}
      responses: {'204': {headers: {X-Id: {schema: {type: integer}}}}}
components:
  securitySchemes: {login: {type: http, scheme: basic}}
  schemas:
    Thing: {type: object, properties: {note: {type: string, nullable: true}}}
";

//! The comparison finds each planted fault below as one difference at its place.

use crate::{
    compare::{Difference, Kind, differences},
    document::Document,
    prose,
    reviewed::{Reviewed, unreviewed},
};

/// A vendor's document in the 3.0 dialect, with inline schemas.
const VENDOR: &str = "
openapi: 3.0.3
servers: [{url: https://cloud.example}]
security: [{key: []}]
paths:
  /boxes/{pk}/:
    get:
      operationId: whatever
      parameters:
        - {name: pk, in: path, required: true, schema: {type: string, format: uuid}}
        - {name: sort, in: query, schema: {type: string, enum: [up, down]}}
        - {name: page, in: query, required: true, schema: {type: integer, minimum: 1}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses:
        '200':
          headers: {Retry-After: {schema: {type: integer}}}
          content: {application/json: {schema: {$ref: '#/components/schemas/Box'}}}
    put:
      parameters:
        - {name: pk, in: path, required: true, schema: {type: string, format: uuid}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name, size]
              properties:
                name: {type: string, maxLength: 20}
                size: {type: number, format: double}
                note: {type: string, nullable: true}
      responses: {'204': {}}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
  schemas:
    Box:
      type: object
      required: [id]
      properties:
        id: {type: string, format: uuid, readOnly: true}
        lid: {allOf: [{$ref: '#/components/schemas/Lid'}], nullable: true}
        boxes: {type: array, items: {$ref: '#/components/schemas/Box'}}
        meta: {type: object, additionalProperties: {type: string}}
        weight: {oneOf: [{type: integer}, {type: string}]}
    Lid: {type: object, properties: {colour: {type: string}}}
";

/// The same facts in the 3.1 dialect, arranged in another way and with other names.
const OURS: &str = "
openapi: 3.1.0
servers: [{url: https://cloud.example}]
paths:
  /boxes/{box_id}/:
    parameters: [{$ref: '#/components/parameters/BoxId'}]
    get:
      security: [{token: []}]
      parameters:
        - {name: sort, in: query, schema: {enum: [down, up], type: string}}
        - {name: page, in: query, required: true, schema: {type: integer, minimum: 1.0}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
      responses:
        '200':
          headers: {Retry-After: {schema: {type: integer}}}
          content: {application/json: {schema: {$ref: '#/components/schemas/Crate'}}}
    put:
      security: [{token: []}]
      requestBody: {$ref: '#/components/requestBodies/Replacement'}
      responses: {'204': {}}
components:
  securitySchemes: {token: {type: apiKey, in: header, name: X-Key}}
  parameters:
    BoxId: {name: box_id, in: path, required: true, schema: {type: string, format: uuid}}
  requestBodies:
    Replacement:
      required: true
      content:
        application/json:
          schema:
            allOf:
              - {type: object, required: [name], properties: {name: {type: string, maxLength: 20}}}
              - {type: object, required: [size], properties: {size: {type: number, format: double}}}
              - {properties: {note: {type: [string, 'null']}}}
  schemas:
    Crate:
      type: object
      required: [id]
      properties:
        id: {type: string, format: uuid, readOnly: true}
        lid: {oneOf: [{$ref: '#/components/schemas/Top'}, {type: 'null'}]}
        boxes: {type: array, items: {$ref: '#/components/schemas/Crate'}}
        meta: {type: object, additionalProperties: {type: string}}
        weight: {anyOf: [{type: integer}, {type: string}]}
    Top: {type: object, properties: {colour: {type: string}}}
";

/// Replacements in our document, with the place and the kind of the one difference.
const PLANTED: &[(&str, &str, &str, Kind)] = &[
    (
        "/boxes/{box_id}/:",
        "/crates/{box_id}/:",
        "GET /crates/{box_id}/",
        Kind::Extra,
    ),
    (
        "    put:\n",
        "    post:\n",
        "POST /boxes/{box_id}/",
        Kind::Extra,
    ),
    (
        "url: https://cloud.example",
        "url: https://other.example",
        "servers",
        Kind::Extra,
    ),
    (
        "name: X-Key",
        "name: X-Token",
        "GET /boxes/{box_id}/ security",
        Kind::Extra,
    ),
    (
        "name: sort, in: query",
        "name: order, in: query",
        "GET /boxes/{box_id}/ query order",
        Kind::Extra,
    ),
    (
        "name: sort, in: query",
        "name: sort, in: header",
        "GET /boxes/{box_id}/ header sort",
        Kind::Extra,
    ),
    (
        "enum: [down, up]",
        "enum: [down]",
        "GET /boxes/{box_id}/ query sort",
        Kind::Values,
    ),
    (
        "enum: [down, up], type: string",
        "type: string",
        "GET /boxes/{box_id}/ query sort",
        Kind::Values,
    ),
    (
        "in: query, required: true",
        "in: query",
        "GET /boxes/{box_id}/ query page",
        Kind::Required,
    ),
    (
        "name: page, in: query",
        "name: sheet, in: query",
        "GET /boxes/{box_id}/",
        Kind::Lacking,
    ),
    (
        "minimum: 1.0",
        "minimum: 0",
        "GET /boxes/{box_id}/ query page",
        Kind::Limit,
    ),
    (
        "minimum: 1.0",
        "maximum: 9",
        "GET /boxes/{box_id}/ query page",
        Kind::Limit,
    ),
    (
        "schema: {type: integer, minimum",
        "schema: {type: number, minimum",
        "GET /boxes/{box_id}/ query page",
        Kind::Type,
    ),
    (
        "{name: tags, in: query,",
        "{name: tags, in: query, explode: false,",
        "GET /boxes/{box_id}/ query tags",
        Kind::Style,
    ),
    (
        "items: {type: string}",
        "items: {type: integer}",
        "GET /boxes/{box_id}/ query tags[]",
        Kind::Type,
    ),
    (
        "type: array, items: {type: string}",
        "type: array",
        "GET /boxes/{box_id}/ query tags[]",
        Kind::Lacking,
    ),
    (
        "required: true, schema: {type: string, format: uuid}",
        "required: true, schema: {type: string}",
        "GET /boxes/{box_id}/ path box_id",
        Kind::Format,
    ),
    (
        "        '200':\n",
        "        '201':\n",
        "GET /boxes/{box_id}/ answer 201",
        Kind::Extra,
    ),
    (
        "{Retry-After: {schema: {type: integer}}}",
        "{Retry-In: {schema: {type: integer}}}",
        "GET /boxes/{box_id}/ answer 200 header Retry-In",
        Kind::Extra,
    ),
    (
        "{Retry-After: {schema: {type: integer}}}",
        "{Retry-After: {schema: {type: string}}}",
        "GET /boxes/{box_id}/ answer 200 header Retry-After",
        Kind::Type,
    ),
    (
        "content: {application/json",
        "content: {text/json",
        "GET /boxes/{box_id}/ answer 200",
        Kind::Extra,
    ),
    (
        "    Replacement:\n      required: true",
        "    Replacement:\n      required: false",
        "PUT /boxes/{box_id}/ body",
        Kind::Required,
    ),
    (
        "requestBody: {$ref: '#/components/requestBodies/Replacement'}",
        "summary: none",
        "PUT /boxes/{box_id}/ body",
        Kind::Lacking,
    ),
    (
        "required: [size], properties: {size: {type: number, format: double}}",
        "properties: {}",
        "PUT /boxes/{box_id}/ body",
        Kind::Lacking,
    ),
    (
        "required: [size], ",
        "",
        "PUT /boxes/{box_id}/ body.size",
        Kind::Required,
    ),
    (
        "format: double",
        "format: float",
        "PUT /boxes/{box_id}/ body.size",
        Kind::Format,
    ),
    (
        "maxLength: 20",
        "maxLength: 21",
        "PUT /boxes/{box_id}/ body.name",
        Kind::Limit,
    ),
    (
        "note: {type: [string, 'null']}",
        "note: {type: string}",
        "PUT /boxes/{box_id}/ body.note",
        Kind::Nullable,
    ),
    (
        "note: {",
        "remark: {",
        "PUT /boxes/{box_id}/ body.remark",
        Kind::Extra,
    ),
    ("      required: [id]\n", "", "Crate.id", Kind::Required),
    (
        "format: uuid, readOnly: true",
        "format: uuid",
        "Crate.id",
        Kind::Use,
    ),
    (
        "lid: {oneOf: [{$ref: '#/components/schemas/Top'}, {type: 'null'}]}",
        "lid: {$ref: '#/components/schemas/Top'}",
        "Crate.lid",
        Kind::Nullable,
    ),
    (
        "colour: {type: string}",
        "colour: {type: boolean}",
        "Top.colour",
        Kind::Type,
    ),
    (
        "additionalProperties: {type: string}",
        "additionalProperties: {type: integer}",
        "Crate.meta{}",
        Kind::Type,
    ),
    (
        "additionalProperties: {type: string}",
        "additionalProperties: true",
        "Crate.meta{}",
        Kind::Lacking,
    ),
    (
        "weight: {anyOf: [{type: integer}, {type: string}]}",
        "weight: {anyOf: [{type: integer}, {type: number}]}",
        "Crate.weight<1>",
        Kind::Type,
    ),
    (
        "weight: {anyOf: [{type: integer}, {type: string}]}",
        "weight: {anyOf: [{type: integer}, {type: string}, {type: boolean}]}",
        "Crate.weight",
        Kind::Type,
    ),
];

fn found(ours: &str) -> Vec<Difference> {
    differences(&Document::read(ours), &Document::read(VENDOR))
}

#[test]
fn equal_documents_do_not_differ() {
    assert_eq!(found(OURS), []);
}

#[test]
fn each_planted_fault_is_found_at_its_place() {
    for (from, to, place, kind) in PLANTED {
        assert!(OURS.contains(from), "`{from}` is not in our document");
        let found = found(&OURS.replace(from, to));
        let right = |one: &&Difference| one.place == *place && one.kind == *kind;
        assert!(
            found.iter().any(|one| right(&one)),
            "`{from}` → `{to}`: {found:?}"
        );
    }
}

#[test]
fn all_differences_are_reported_at_once() {
    let faulty = OURS
        .replace("maxLength: 20", "maxLength: 21")
        .replace("format: double", "format: float");
    let places: Vec<_> = found(&faulty).into_iter().map(|one| one.place).collect();
    assert_eq!(
        places,
        [
            "PUT /boxes/{box_id}/ body.name",
            "PUT /boxes/{box_id}/ body.size"
        ]
    );
}

#[test]
fn a_review_covers_only_its_own_difference() {
    let faulty = OURS
        .replace("maxLength: 20", "maxLength: 21")
        .replace("format: double", "format: float");
    let found = found(&faulty);
    let reviewed = Reviewed {
        service: "boxes",
        kind: Kind::Limit,
        places: &[
            "PUT /boxes/{box_id}/ body.name",
            "PUT /boxes/{box_id}/ body.size",
        ],
        reason: "the vendor has miscounted",
    };
    assert_eq!(
        reviewed.unused(&found),
        ["boxes: PUT /boxes/{box_id}/ body.size [Limit]"]
    );
    let left = |service| unreviewed(std::slice::from_ref(&reviewed), service, &found).len();
    assert_eq!((left("boxes"), left("crates")), (1, 2));
}

#[test]
fn copied_sentences_are_found() {
    let vendor = Document::read("info: {description: 'One. The name of the box, in full.'}");
    let copied = Document::read("paths: {x: {summary: 'the name of the box - in full'}}");
    let own = Document::read("paths: {x: {summary: 'what people call the whole box'}}");
    assert_eq!(
        prose::copied(&copied, &vendor),
        ["the name of the box in full"]
    );
    assert_eq!(prose::copied(&own, &vendor), [""; 0]);
}

#[test]
fn an_unresolved_reference_is_found() {
    let document = Document::read("a: {$ref: '#/b'}\nb: {$ref: '#/c'}");
    assert_eq!(document.dangling(), ["#/c"]);
}

//! Compares a hand-written tool with the generated one: the records are equal except for origin and
//! binding, and a call sends the same request.

use std::sync::Arc;

use reqwest::{Client, Method, RequestBuilder};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use toolwright::{
    Registry, RoleEnum, ToolContext, ToolError, ToolSpec,
    audit::{Reason, RefusalReason},
    binding::Binding,
    testing::TestView,
    tools,
};
use toolwright_generated::depot::{self, DeleteDepotItem};
use toolwright_tests::{Extent, example};

use crate::bench::Bench;

#[derive(RoleEnum)]
enum AgentRole {
    Clerk,
}

/// A client of Depot without adapters.
struct Depot {
    client: Client,
    base_url: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(inline, extend("format" = "uuid"))]
struct ItemId(String);

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewComment {
    /// The item's `id`, as a list or a search gives it.
    item_id: ItemId,
    /// The comment, in plain text.
    #[schemars(length(min = 1, max = 2000), regex(pattern = r"\S"))]
    text: String,
    /// Who says it.
    #[serde(default)]
    #[schemars(
        with = "String",
        length(min = 1, max = 60),
        regex(pattern = r"\S"),
        extend("default" = "anonymous")
    )]
    author: Option<String>,
}

/// A comment on an item.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
struct Comment {
    /// Who said it.
    author: String,
    /// When it was said, in UTC.
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "uuid"))]
    id: String,
    /// The comment, in plain text.
    text: String,
}

#[derive(Deserialize, Serialize, schemars::JsonSchema)]
struct FileList {
    files: Vec<ItemFile>,
}

/// What is known of a file.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
struct ItemFile {
    /// The name under which it was uploaded.
    filename: String,
    #[schemars(extend("format" = "uuid"))]
    id: String,
    /// What the file is.
    label: String,
    /// The media type that it was uploaded with.
    #[schemars(example = "application/pdf")]
    media_type: String,
    /// The SHA-256 of its content, in lower-case hexadecimal digits.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    sha256: String,
    /// How long it is, in bytes.
    #[schemars(range(min = 0, max = 1_048_576))]
    size: i64,
    /// When it was uploaded, in UTC.
    #[schemars(extend("format" = "date-time"))]
    uploaded_at: String,
}

// A response type with a name in the schema. A doc comment would also be in the schema.
#[derive(Serialize, schemars::JsonSchema)]
struct Named<T>(T);

#[tools]
impl Depot {
    /// List the files of an item
    ///
    /// Lists what is known of each file of one item, the oldest first. The content is downloaded separately.
    #[tool(
        name = "list-depot-item-files",
        title = "List the files of an item",
        section = "Files",
        category = observe,
        roles(AgentRole::Clerk)
    )]
    async fn list_item_files(
        &self,
        _: &ToolContext,
        /// The item's `id`, as a list or a search gives it.
        item_id: ItemId,
    ) -> Result<Named<FileList>, ToolError> {
        let path = format!("/items/{}/files", item_id.0);
        self.send_request(self.request(Method::GET, &path))
            .await
            .map(Named)
    }

    /// Add a comment to an item
    ///
    /// Adds a comment to one item. The item itself does not change.
    #[tool(
        name = "add-depot-item-comment",
        title = "Add a comment to an item",
        section = "Comments",
        category = execute,
        effect = annotate,
        roles(AgentRole::Clerk)
    )]
    async fn add_item_comment(
        &self,
        _: &ToolContext,
        input: NewComment,
    ) -> Result<Named<Comment>, ToolError> {
        let mut body = json!({"text": input.text});
        if let Some(author) = input.author {
            body["author"] = author.into();
        }
        let path = format!("/items/{}/comments", input.item_id.0);
        let request = self.request(Method::POST, &path);
        let request = request.header("content-type", "application/json");
        self.send_request(request.body(body.to_string()))
            .await
            .map(Named)
    }

    /// Delete an item
    ///
    /// Deletes the item for good, with its comments and files. A reserved item cannot be deleted:
    /// move it back to `in_stock` first.
    #[tool(
        name = "delete-depot-item",
        title = "Delete an item",
        section = "Items",
        category = execute,
        idempotent,
        roles(AgentRole::Clerk)
    )]
    async fn delete_item(&self, _: &ToolContext, input: DeleteDepotItem) -> Result<(), ToolError> {
        let path = format!("/items/{}", input.item_id);
        let request = self.client.delete(format!("{}{path}", self.base_url));
        let request = request.bearer_auth("t0ken").header("accept", "*/*");
        request.send().await.map(drop).map_err(service_error)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self
            .client
            .request(method, format!("{}{path}", self.base_url));
        let request = request.header("accept", "application/json");
        request.bearer_auth("t0ken")
    }

    async fn send_request<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
    ) -> Result<T, ToolError> {
        let answer = request.send().await.map_err(service_error)?;
        let body = answer.bytes().await.map_err(service_error)?;
        serde_json::from_slice(&body).map_err(|_| ToolError::failed("the answer is another one"))
    }
}

fn service_error(error: reqwest::Error) -> ToolError {
    ToolError::failed(error.without_url().to_string())
}

/// Returns a view of this file's tools that sends requests to the recorder of a bench.
fn by_hand(bench: &Bench) -> TestView {
    // Another test may have installed the provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let depot = Depot {
        client: Client::builder().no_proxy().build().unwrap(),
        base_url: bench.url(),
    };
    let registry = Registry::builder().linked_tools().state(Arc::new(depot));
    TestView::new(registry, AgentRole::Clerk)
}

fn generated() -> Vec<ToolSpec> {
    depot::TOOLS.specs().unwrap()
}

/// Returns the record without its origin and binding.
fn comparable_record(spec: &ToolSpec) -> ToolSpec {
    ToolSpec {
        binding: Binding::Native,
        evidence: Vec::new(),
        origin: toolwright::binding::Origin {
            document: String::new(),
            pointer: String::new(),
            operation_id: None,
        },
        ..spec.clone()
    }
}

#[test]
fn hand_written_and_generated_tools_have_equal_records() {
    let view = by_hand(&Bench::new(generated()));
    assert_eq!(
        view.names(),
        [
            "add-depot-item-comment",
            "delete-depot-item",
            "list-depot-item-files"
        ]
    );
    for spec in view.view().specs() {
        let twin = generated().into_iter().find(|twin| twin.name == spec.name);
        assert_eq!(comparable_record(&spec), comparable_record(&twin.unwrap()));
    }
}

#[test]
fn hand_written_and_generated_tools_send_equal_requests() {
    let bench = Bench::new(generated());
    let view = by_hand(&bench);
    for spec in view.view().specs() {
        for extent in [Extent::Least, Extent::Most] {
            let name = spec.name.as_str();
            let arguments = example(spec.input_schema.whole(), extent);
            let (generated, value) = bench.call(name, arguments.clone());
            let (by_hand, answered) = bench.call_by(&view, name, arguments);
            assert_eq!(comparable(&generated), comparable(&by_hand), "{name}");
            assert_eq!(value, answered, "{name}");
        }
    }
}

#[test]
fn hand_written_and_generated_tools_have_the_same_gates() {
    let bench = Bench::new(generated());
    let view = by_hand(&bench);
    let arguments = json!({"item_id": "0b8a4ac2-6f7e-4f0c-8c39-5d1f7a2e9b10"});
    for (tool, arguments, reason) in [
        (
            "delete-depot-item",
            json!({"item_id": 1}),
            Reason::InvalidArguments,
        ),
        (
            "delete-depot-item",
            arguments.clone(),
            Reason::ApprovalRequired,
        ),
        (
            "get-depot-item",
            arguments,
            Reason::Policy(RefusalReason::UnknownTool),
        ),
    ] {
        let refused = bench.run(view.call(tool, arguments));
        assert!(refused.is_err(), "{tool}");
        assert_eq!(view.reason(), Some(reason), "{tool}");
    }
    assert!(bench.take_requests().is_empty(), "no request is sent");
}

/// Returns the comparable parts of a request: sorted headers without those of the client.
fn comparable(request: &str) -> (String, Vec<String>, String) {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    let first = lines.next().unwrap().to_owned();
    let mut headers: Vec<_> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| format!("{}: {value}", name.to_ascii_lowercase()))
        // The clients name themselves, and ours accepts compressed answers.
        .filter(|header| !header.starts_with("user-agent: "))
        .filter(|header| !header.starts_with("accept-encoding: "))
        .collect();
    headers.sort();
    (first, headers, body.to_owned())
}

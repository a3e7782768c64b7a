//! `search-docs-pages`.

use serde_json::{Value, json};

use crate::folder::{Folder, code, violations};

const TOOLS: [&str; 1] = ["search-docs-pages"];
const SCOPE: &str =
    "allowed_read_paths = [\"docs/**\", \"*.md\"]\ndenied_read_paths = [\"docs/internal/**\"]";

fn folder() -> Folder {
    let approvals = "# Approvals\n\nA call waits for a person.\n\n## Expiry\n\nAn approval expires after \
                     an hour. The agent must ask again.\n\n## Storage\n\nIn SQLite.\n";
    let folder = Folder::new(&[
        ("docs/approvals.md", approvals),
        (
            "docs/audit.md",
            "# Audit\n\nEvents are chained. They never expire.\n",
        ),
        (
            "docs/internal/keys.md",
            "# Keys\n\nAn approval expires never for the key SECRET.\n",
        ),
        ("src/approvals.md", "# Source\n\nApproval expires.\n"),
        ("README.md", "# Readme\n\nSee docs.\n"),
        ("docs/code.rs", "// approval expires\n"),
    ]);
    folder.write("docs/binary.txt", b"approval \xff expires\n");
    folder
}

async fn search(folder: &Folder, arguments: Value) -> Value {
    let view = folder.view(&TOOLS, SCOPE);
    view.call("search-docs-pages", arguments).await.unwrap()
}

pub(crate) async fn the_best_section_is_first_with_its_lines() {
    let folder = folder();
    let found = search(&folder, json!({"query": "when do approvals expire?"})).await;
    let best = &found["sections"][0];
    assert_eq!(best["path"], "docs/approvals.md");
    assert_eq!(best["headings"], json!(["Approvals", "Expiry"]));
    assert_eq!(
        (&best["first_line"], &best["last_line"]),
        (&json!(5), &json!(8))
    );
    assert_eq!(best["excerpt_line"], 5);
    assert!(
        best["excerpt"]
            .as_str()
            .unwrap()
            .contains("expires after an hour")
    );
    assert_eq!(found["page_count"], 3);
    assert_eq!(found["left_out"], json!({"binary_files": 1}));
    let text = found.to_string();
    assert!(
        !text.contains("SECRET") && !text.contains("src/approvals.md"),
        "{text}"
    );
    assert!(!text.contains("internal"), "{text}");
}

pub(crate) async fn a_search_is_limited_and_says_what_is_missing() {
    let folder = folder();
    let found = search(&folder, json!({"query": "expire approval", "limit": 1})).await;
    assert_eq!(found["sections"].as_array().unwrap().len(), 1);
    assert_eq!(
        found["left_out"],
        json!({"beyond_limit": 3, "binary_files": 1})
    );
    let none = search(&folder, json!({"query": "zebra", "path": "docs"})).await;
    assert_eq!(none["sections"], json!([]));
    let view = folder.view(&TOOLS, SCOPE);
    let empty = view.call("search-docs-pages", json!({"query": "the ?"}));
    assert_eq!(code(empty.await), "empty_query");
    let other = view.call(
        "search-docs-pages",
        json!({"query": "expire", "path": "src"}),
    );
    assert_eq!(code(other.await), "scope_violation");
    assert_eq!(violations(&view).len(), 1);
}

//! Statements of SQL as tools, with a real PostgreSQL and the file that `docs/statements.md` shows.

use serde_json::{Value, json};
use toolwright_state::{Location, testing::TestPlace};

use crate::support::Project;

const TABLES: &str = "
    create table public.items (
        id bigint primary key, name text not null, quantity int not null,
        added timestamptz not null default '2026-01-02T03:04:05Z');
    insert into public.items values (1, 'lamp', 3), (2, 'bolt', 70)";

/// The password of the account, which the server does not ask for.
const PASSWORD: &str = "hunter2-lamp";

/// Returns the statements of the page.
fn statements() -> String {
    let page = include_str!("../../../docs/statements.md");
    let blocks = page.split("```toml\n").skip(1);
    let mut blocks = blocks.map(|block| block.split("```").next().unwrap());
    blocks
        .find(|block| block.contains("[statements."))
        .unwrap()
        .to_owned()
}

/// A project with a database of its own; none, with a message, if there is no PostgreSQL.
struct Stage {
    place: TestPlace,
    project: Project,
    runtime: tokio::runtime::Runtime,
}

impl Stage {
    fn new() -> Option<Self> {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let place = runtime.block_on(TestPlace::postgres())?;
        let Location::Postgres { url, .. } = &place.location else {
            panic!("{place:?}");
        };
        let (user, server) = url.split_once("://").unwrap().1.split_once('@').unwrap();
        let project = Project::empty();
        project.configure(format!(
            "[databases.stock]\nurl = \"postgres://{server}\"\n[roles.clerk]\ngrant = [\"service:stock\"]\n\
             credentials = \"clerk\"\n[roles.stranger]\n[roles.nobody]\ngrant = [\"service:stock\"]\n\
             credentials = \"nobody\"\n[tools]\nenable = [\"update-stock-item\"]\n"
        ));
        let account = json!({"username": user, "password": PASSWORD}).to_string();
        project.write(".local/stock/clerk-auth.json", &account);
        project.write(".local/stock/admin-auth.json", &account);
        project.write("statements/stock.toml", statements());
        let stage = Self {
            place,
            project,
            runtime,
        };
        stage.change(TABLES);
        Some(stage)
    }

    /// Runs statements as the owner of the database.
    fn change(&self, sql: &str) {
        self.runtime.block_on(self.place.tamper(sql));
    }

    #[track_caller]
    fn call(&self, role: &str, tool: &str, arguments: &Value, code: i32) -> String {
        let arguments = arguments.to_string();
        let call = ["call", tool, "--role", role, "--json", "--args", &arguments];
        let run = self.project.run(&call).expect(code);
        let all = format!("{}{}", run.stdout, run.stderr);
        assert!(!all.contains(PASSWORD), "{all}");
        all
    }
}

#[test]
fn statements_are_listed_and_called_over_a_real_database() {
    let Some(stage) = Stage::new() else {
        return;
    };
    let listed = stage.project.run(&["list"]).expect(0);
    listed
        .prints("list-stock-items")
        .prints("update-stock-item");
    let found = stage.call("clerk", "list-stock-items", &json!({"least": 3}), 0);
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["rows"][0]["added"], "2026-01-02T03:04:05Z");
    assert_eq!(
        (&found["rows"][1]["quantity"], &found["more"]),
        (&json!(70), &json!(false))
    );
    let changed = stage.call(
        "clerk",
        "update-stock-item",
        &json!({"id": 2, "quantity": 7}),
        0,
    );
    assert!(changed.contains("\"changed\":1"), "{changed}");
    let evil = json!({"least": 0, "name": "x'; drop table items; --"});
    let found = stage.call("clerk", "list-stock-items", &evil, 0);
    assert!(found.contains("\"rows\":[]"), "{found}");
    stage.call(
        "clerk",
        "list-stock-items",
        &json!({"least": "0 or 1=1"}),
        2,
    );
    stage.call("stranger", "list-stock-items", &json!({"least": 0}), 5);
    // The account of this role has no credentials, and those of another one do not take their place.
    let refused = stage.call("nobody", "list-stock-items", &json!({"least": 0}), 100);
    assert!(refused.contains("credentials_missing"), "{refused}");
    let audit = stage.project.read(".toolwright/audit.jsonl");
    assert!(audit.contains("update-stock-item") && !audit.contains(PASSWORD));
}

#[test]
fn doctor_compares_the_file_with_the_database() {
    let Some(stage) = Stage::new() else {
        return;
    };
    let fresh = stage.project.run(&["doctor", "--online", "--json"]);
    let databases = |run: &crate::support::Run| -> Vec<Value> {
        let findings = run.json().into_iter();
        findings
            .filter(|finding| finding["part"] == "database")
            .collect()
    };
    let found = databases(&fresh);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["status"], "ok", "{found:?}");
    stage.change("alter table public.items alter quantity type bigint");
    let found = databases(
        &stage
            .project
            .run(&["doctor", "--online", "--json"])
            .expect(4),
    );
    assert!(
        found[0]["message"]
            .as_str()
            .unwrap()
            .contains("statements/stock.toml:3:7")
    );
    assert_eq!(found[0]["help"][0], "write `columns.quantity = \"bigint\"`");
    // Without `--online`, nothing is asked.
    let found = databases(&stage.project.run(&["doctor", "--json"]));
    assert_eq!(found[0]["message"], "2 statements");
}

#[test]
fn a_file_with_faults_costs_its_own_tools() {
    let project = Project::with_memo();
    project.configure(
        "[databases.stock]\nurl = \"postgres://127.0.0.1/stock\"\n[roles.reader]\ngrant = [\"category:observe\"]\n",
    );
    let listed = project.run(&["list"]).expect(0);
    listed
        .prints("list-memo-notes")
        .says("statements/stock.toml");
    project.write(
        "statements/stock.toml",
        "[statements.list-shop-items]\nsql = \"select 1\"\n",
    );
    let listed = project.run(&["list"]).expect(0);
    listed
        .prints("list-memo-notes")
        .says("stock.toml:1:13")
        .says("not the name of a tool of `stock`")
        .says("are left out until this is fixed");
    project.write(
        "toolwright.toml",
        "[databases.stock]\nurl = \"postgres://ann:pw@db.example/stock\"\n",
    );
    let refused = project.run(&["list"]);
    refused.says("contains a user or a password");
}

#[test]
fn a_file_without_its_database_is_reported() {
    let project = Project::empty();
    project.configure("[databases.stock]\nurl = \"postgres://127.0.0.1/stock\"\n");
    project.write("statements/stock.toml", statements());
    project.write("statements/stok.toml", statements());
    let run = project.run(&["list"]).expect(0);
    assert!(run.stdout.contains("list-stock-items"), "{}", run.stdout);
    let expected = "error: `statements/stok.toml` belongs to no database\n  \
        = help: declare the database in `[databases.stok]` of toolwright.toml, or remove the file";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    let one = project.run(&["list", "--service", "stock"]).expect(0);
    assert_eq!(one.stderr, "");
    let report = project.run(&["doctor", "--json"]).stdout;
    assert!(
        report.contains("`statements/stok.toml` belongs to no database"),
        "{report}"
    );
}

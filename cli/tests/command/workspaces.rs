//! The page `docs/workspaces.md`: its configuration and its commands, with two real servers.

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};

use crate::support::{Project, Run};

const NAMES: [&str; 2] = ["north", "south"];

/// A project whose service `depot` has the workspaces of the page.
struct Stage {
    project: Project,
    depots: Vec<Depot>,
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/workspaces.md");
    fs::read_to_string(path).unwrap()
}

/// The blocks of a language on the page.
fn blocks(language: &str) -> Vec<String> {
    let (page, begin) = (page(), format!("```{language}\n"));
    let blocks = page.split(&begin).skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap().to_owned());
    blocks.collect()
}

impl Stage {
    async fn start() -> Self {
        let project = Project::empty();
        let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/depot");
        for file in ["openapi.yaml", "overlay.toml", "names.lock"] {
            let text = fs::read_to_string(specs.join(file)).unwrap();
            project.write(&format!("specs/depot/{file}"), text);
        }
        let mut text = blocks("toml").remove(0);
        let mut depots = Vec::new();
        for name in NAMES {
            let token = Token::random();
            let stock = match name {
                "north" => InitialStock::Samples,
                _ => InitialStock::Empty,
            };
            let depot = Depot::start(DepotConfig {
                folder: project.path(name),
                token: token.clone(),
                port: 0,
                initial_stock: stock,
            });
            let depot = depot.await.unwrap();
            let file = format!(".local/depot/workspaces/{name}/api-token.txt");
            project.write(&file, token.expose());
            let documented = format!("https://{name}.depot.example/api/v1");
            assert!(text.contains(&documented));
            text = text.replace(&documented, &depot.base_url());
            depots.push(depot);
        }
        project.configure(text);
        Self { project, depots }
    }

    /// Runs a line of the page.
    fn line(&self, line: &str) -> Run {
        let mut words: Vec<String> = Vec::new();
        for (at, part) in line.split('\'').enumerate() {
            match at % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        assert_eq!(words[0], "toolwright", "{line}");
        self.project.run(&words[1..])
    }
}

fn items(run: &Run) -> usize {
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    answer["items"].as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_page_do_what_it_describes() {
    let stage = Stage::start().await;
    let sh = blocks("sh");
    let [shown, calls, explained] = sh.as_slice() else {
        panic!("run every command of the page: {sh:?}");
    };
    let shown: Vec<_> = shown.lines().collect();
    let doctor = stage.line(shown[0]);
    for (name, depot) in NAMES.iter().zip(&stage.depots) {
        let found = format!("depot/{name}");
        assert!(
            doctor.stdout.contains(&found),
            "{}{}",
            doctor.stdout,
            doctor.stderr
        );
        assert!(doctor.stdout.contains(&depot.base_url()));
    }
    stage
        .line(shown[1])
        .expect(0)
        .prints("`depot` has the workspaces north, south.");
    stage
        .line(shown[2])
        .expect(0)
        .prints("north (the default), south");
    let matrix = stage.line(shown[3]).expect(0);
    matrix.prints("workspaces: clerk: north, south; southerner: south");

    let calls: Vec<_> = calls
        .lines()
        .map(|line| stage.line(line).expect(0))
        .collect();
    let found: Vec<_> = calls.iter().map(items).collect();
    assert!(found[0] > 0, "the default is `north`, which has samples");
    assert_eq!(found[1..], [0, 0, 0]);

    let explained: Vec<_> = explained.lines().collect();
    let refused = stage.line(explained[0]).expect(0);
    refused.prints("denied: invalid arguments");
    let allowed = stage.line(explained[1]).expect(0);
    allowed.prints("workspace: north").prints("allowed by");
    let events = stage.project.read(".toolwright/audit.jsonl");
    let at = |name: &str| {
        events
            .matches(&format!("\"source_workspace\":\"{name}\""))
            .count()
    };
    assert_eq!((at("north"), at("south")), (2, 6));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_configuration_of_the_page_is_valid() {
    let stage = Stage::start().await;
    let specification = stage.project.read("toolwright.toml");
    for more in &blocks("toml")[1..] {
        let text = match more.strip_prefix("[services.depot]\n") {
            Some(keys) => specification.replacen(
                "[services.depot]\n",
                &format!("[services.depot]\n{keys}"),
                1,
            ),
            None => format!("{specification}\n{more}"),
        };
        stage.project.configure(text);
        stage.project.run(&["policy", "check"]).expect(0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_workspace_is_an_error_of_the_command() {
    let stage = Stage::start().await;
    let call = |more: &[&str]| {
        let call = ["call", "list-depot-items", "--role", "clerk"];
        stage.project.run(&[&call[..], more].concat())
    };
    call(&["--workspace", "North"])
        .expect(2)
        .says("is not a workspace name");
    let refused = call(&["--args", r#"{"source_workspace_id": "east"}"#]).expect(2);
    refused.says("is none of `north`, `south`");
    let unknown = call(&["--workspace", "east"]);
    assert_ne!(unknown.code, Some(0));
    let json = call(&["--workspace", "south", "--dry-run", "--json"])
        .expect(0)
        .json();
    assert_eq!(json[0]["workspace"], json!("south"));
    let matrix = stage.project.run(&["matrix", "--json"]).expect(0).json();
    assert_eq!(
        matrix[0]["services"][0]["workspaces"],
        json!(["north", "south"])
    );
}

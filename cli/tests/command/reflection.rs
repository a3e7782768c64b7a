//! Services of gRPC that `add` and `inspect` read from a server with reflection.

mod server;

use std::{
    fs,
    time::{Duration, Instant},
};

use prost::Message as _;
use server::{Question, Reflected, Reflector};

use crate::support::Project;

const SHOP: &str = "syntax = \"proto3\";\npackage acme.shop.v1;\nimport \"google/protobuf/timestamp.proto\";\n\
    service Shop {\n  rpc GetItem(Key) returns (Item);\n  rpc DeleteItem(Key) returns (Item);\n}\n\
    message Key { string name = 1; }\n\
    message Item { string name = 1; int32 quantity = 2; google.protobuf.Timestamp added = 3; }\n";

/// Returns the answers of a server with the service of a document.
fn describe(text: &str) -> impl Fn(Question) -> Reflected + Send + Sync + 'static {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("shop.proto"), text).unwrap();
    let set = protox::compile(["shop.proto"], [folder.path()]).unwrap();
    let files: Vec<(String, Vec<u8>)> = set
        .file
        .into_iter()
        .map(|mut file| {
            file.source_code_info = None;
            (file.name().to_owned(), file.encode_to_vec())
        })
        .collect();
    move |question| {
        let of_name = |name: &str| {
            let found = files.iter().find(|(known, _)| known == name);
            Reflected::files(vec![found.unwrap().1.clone()])
        };
        match question {
            Question { list: Some(_), .. } => {
                let names = ["acme.shop.v1.Shop", "grpc.reflection.v1.ServerReflection"];
                Reflected::services(names.map(str::to_owned))
            }
            Question {
                symbol: Some(_), ..
            } => of_name("shop.proto"),
            Question { file, .. } => of_name(&file.unwrap()),
        }
    }
}

#[test]
fn a_server_that_describes_itself_is_added_inspected_and_refreshed() {
    let server = Reflector::start(describe(SHOP));
    let project = Project::empty();
    let inspected = project.run(&["inspect", &server.url()]).expect(0);
    inspected.prints("get-shop-item").prints("grpc");
    let added = project.run(&["add", &server.url()]).expect(0);
    added
        .prints("specs/shop/service.binpb")
        .prints("`shop` has 2 tools");
    let set = project.read("specs/shop/service.binpb");
    assert!(
        set.lines().count() > 3 && set.lines().all(|line| line.len() <= 76),
        "{set}"
    );
    let source = project.read("specs/shop/source.toml");
    assert!(
        source.contains(&format!("url = \"{}\"", server.url())),
        "{source}"
    );
    let listed = project.run(&["list"]).expect(0);
    listed.prints("get-shop-item").prints("delete-shop-item");
    project
        .run(&["refresh", "shop"])
        .expect(0)
        .prints("`shop` is unchanged");
    drop(server);
    let gone = project.run(&["refresh", "shop"]);
    gone.says("cannot ask `grpc://127.0.0.1:");
}

#[test]
fn a_refreshed_server_shows_what_changed_on_the_wire() {
    let project = Project::empty();
    let server = Reflector::start(describe(SHOP));
    project.run(&["add", &server.url()]).expect(0);
    let changed = SHOP.replace("int32 quantity = 2", "int32 quantity = 4");
    let other = Reflector::start(describe(&changed));
    let source = project.read("specs/shop/source.toml");
    let source = source.replace(&server.url(), &other.url());
    fs::write(project.path("specs/shop/source.toml"), source).unwrap();
    let refreshed = project.run(&["refresh", "shop"]).expect(4);
    refreshed.prints("quantity");
}

#[test]
fn the_certificate_of_a_server_is_checked() {
    let server = Reflector::start_with_tls(describe(SHOP));
    let project = Project::empty();
    let refused = project.run(&["add", &server.url()]).expect(100);
    refused.says("cannot ask `grpcs://localhost:");
    let file = project.path("ca.pem");
    fs::write(&file, server.certificate.as_ref().unwrap()).unwrap();
    let mut trusting = project.command(&["add", &server.url()]);
    let output = trusting.env("SSL_CERT_FILE", &file).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
}

#[test]
fn what_a_hostile_server_sends_is_bounded() {
    let names = |count: usize| Reflected::services((0..count).map(|at| format!("a.S{at}")));
    let file = |name: &str, imports: Vec<String>| prost_types::FileDescriptorProto {
        name: Some(name.to_owned()),
        dependency: imports,
        ..Default::default()
    };
    let endless = move |question: Question| match question.file {
        Some(name) => {
            let file = file(&name, vec![format!("{name}x")]);
            Reflected::files(vec![file.encode_to_vec()])
        }
        None if question.list.is_some() => names(1),
        None => Reflected::files(vec![file("a", vec!["ax".to_owned()]).encode_to_vec()]),
    };
    let wide = move |question: Question| match question.symbol {
        None => names(1),
        Some(_) => {
            let imports = (0..20_000).map(|at| format!("f{at}.proto")).collect();
            Reflected::files(vec![file("a", imports).encode_to_vec()])
        }
    };
    let garbage = move |question: Question| match question.list {
        Some(_) => names(1),
        None => Reflected::files(vec![vec![0xff; 64]]),
    };
    let long = |_| Reflected::error("\u{1b}[31mx\u{202e}".repeat(100_000));
    let project = Project::empty();
    for (server, problem) in [
        (Reflector::start(endless), "import each other too deeply"),
        (Reflector::start(wide), "more than 10000 files"),
        (
            Reflector::start(move |_| names(20_000)),
            "more than 10000 services",
        ),
        (Reflector::start(garbage), "descriptors cannot be read"),
        (Reflector::start(long), "the server cannot describe itself"),
        (Reflector::start(|_| Reflected::default()), "no services"),
    ] {
        let begun = Instant::now();
        let refused = project.run(&["add", &server.url()]).expect(100);
        assert!(
            refused.stderr.contains(problem),
            "{problem}: {}",
            refused.stderr
        );
        assert!(refused.stderr.len() < 4_000, "{problem}");
        assert!(
            !refused.stderr.contains(['\u{1b}', '\u{202e}']),
            "{problem}"
        );
        assert!(begun.elapsed() < Duration::from_secs(30), "{problem}");
    }
    assert!(!project.path("specs/shop").exists());
}

#[test]
fn an_address_has_neither_a_path_nor_credentials() {
    let project = Project::empty();
    for (url, problem) in [
        ("grpc://127.0.0.1:9/shop", "has a path"),
        ("grpc://ann:pw@127.0.0.1:9", "contains credentials"),
        ("grpc://", "names no host"),
        ("grpc:///x", "names no host"),
    ] {
        let refused = project.run(&["add", url]);
        assert!(
            refused.stderr.contains(problem),
            "{url}: {}",
            refused.stderr
        );
        assert!(!refused.stderr.contains("pw@"), "{}", refused.stderr);
    }
    // Nothing listens there.
    let refused = project.run(&["inspect", "grpc://127.0.0.1:9"]).expect(100);
    refused.says("cannot ask `grpc://127.0.0.1:9`");
}

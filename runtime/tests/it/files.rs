//! Files: answers that are saved, the store with its owners and limits, and files that calls send.

use std::{
    fs,
    io::Write,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::body::Body;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use toolwright::{
    Kind, Registry, RegistryBuilder, ScopedToolView, ToolSpec,
    audit::MemoryAudit,
    config::ServiceConfig,
    eab::RunContext,
    files::{AnswerWriter, FileError, FileHandle, FileLimits, FileStore},
};

use crate::support::{HandClock, Service, answer, at, auth_file, builder, outcomes, role, spec};

const SECRET: &str = "s3cret-t0ken-of-the-service";

/// `GET /files/{id}`, whose answer is bytes.
pub(crate) fn get_file() -> ToolSpec {
    spec(
        "get-depot-file",
        Kind::Read,
        json!({
            "method": "GET", "path": "/files/{id}",
            "parameters": [{"name": "id", "location": "path", "value": {"argument": "id"},
                            "required": true, "style": "simple", "explode": false}],
            "answers": [{"status": "200", "media_types": ["application/octet-stream"], "content": "binary"}],
            "security": [[{"scheme": "b", "kind": "bearer"}], []],
        }),
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}),
    )
}

fn upload(name: &str, body: Value) -> ToolSpec {
    let mut spec = spec(
        name,
        Kind::Create,
        json!({"method": "POST", "path": "/files", "body": body,
               "answers": [{"status": "2XX", "media_types": ["application/json"], "content": "json"}]}),
        json!({"type": "object", "properties": {"body": true, "file": true, "label": true}}),
    );
    spec.approval_required = false;
    spec
}

/// `POST /files` with bytes.
pub(crate) fn upload_bytes() -> ToolSpec {
    let body = json!({"media_type": "application/octet-stream", "content": "binary", "required": true,
                      "shape": {"whole": {"argument": "body"}}});
    upload("add-depot-file", body)
}

/// `POST /files` with parts, one of which is a file.
fn upload_parts() -> ToolSpec {
    let field = |name: &str| json!({"name": name, "value": {"argument": name}});
    let body = json!({"media_type": "multipart/form-data", "content": "multipart", "required": true,
                      "shape": {"fields": [field("label"), field("file")]},
                      "encoding": {"file": {"file": true}}});
    upload("attach-depot-file", body)
}

struct Stage {
    folder: tempfile::TempDir,
    clock: HandClock,
    audit: Arc<MemoryAudit>,
    registry: Registry,
    /// The credentials, which are read at each call.
    _auth: tempfile::TempDir,
}

impl Stage {
    async fn new(service: &Service, limits: FileLimits) -> Self {
        Self::with(service, limits, |builder| builder).await
    }

    async fn with(
        service: &Service,
        limits: FileLimits,
        more: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = HandClock::new();
        let audit = Arc::new(MemoryAudit::new());
        let tools = [get_file(), upload_bytes(), upload_parts()];
        let secrets = json!({"base_url": service.url, "api_token": SECRET});
        let (auth, credentials) = auth_file(&secrets);
        let registry = builder(&audit)
            .specs(tools.map(|spec| at(spec, &service.url)))
            .files(FileStore::new(folder.path().join("files"), limits))
            .credentials(credentials)
            .clock(clock.as_clock())
            .enable("*")
            .grant("reader", "*")
            .grant("other", "*");
        let registry = more(registry).build().unwrap();
        Self {
            folder,
            clock,
            audit,
            registry,
            _auth: auth,
        }
    }

    fn view(&self, name: &str) -> ScopedToolView {
        self.registry.for_agent(&role(name))
    }

    /// The names of the files in the folder, without the lock.
    fn entries(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.store()) else {
            return Vec::new();
        };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name != "lock").collect();
        names.sort();
        names
    }

    fn store(&self) -> std::path::PathBuf {
        self.folder.path().join("files")
    }
}

async fn download(view: &ScopedToolView) -> Result<FileHandle, toolwright::ToolError> {
    let output = view.call_json("get-depot-file", json!({"id": "1"})).await?;
    Ok(output.file.unwrap().handle.unwrap())
}

fn limits() -> FileLimits {
    FileLimits {
        file_bytes: 1000,
        quota_bytes: 2500,
        lifetime: Duration::from_secs(60),
        ..FileLimits::default()
    }
}

/// A writer whose bytes a test can read.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn an_answer_of_bytes_becomes_a_file_of_its_role_and_run() {
    let service = Service::start(|_| async { answer(200, "image/png", vec![7; 600]) }).await;
    let stage = Stage::new(&service, limits()).await;
    let view = stage.view("reader");
    let output = view
        .call_json("get-depot-file", json!({"id": "1"}))
        .await
        .unwrap();
    let handle = output.value["file"].as_str().unwrap().to_owned();
    let sha256 = output.value["sha256"].as_str().unwrap().to_owned();
    assert_eq!(
        output.value,
        json!({"media_type": "image/png", "size": 600, "sha256": sha256, "file": handle})
    );
    let handle: FileHandle = handle.parse().unwrap();
    let file = view.open_file(&handle).unwrap();
    assert_eq!(file.record().sha256, sha256);
    assert_eq!(
        file.record().tool.as_ref().unwrap().as_str(),
        "get-depot-file"
    );
    assert_eq!(file.read(600).unwrap(), vec![7; 600]);
    let too_long = view.open_file(&handle).unwrap().read(599);
    assert_eq!(too_long, Err(FileError::TooLarge { limit: 599 }));

    let unknown: FileHandle = format!("file-{}", "0".repeat(32)).parse().unwrap();
    let run = RunContext {
        run: Some("7".to_owned()),
        ..RunContext::default()
    };
    let in_run = stage.view("reader").in_run(run);
    for (foreign, handle) in [
        (&stage.view("other"), &handle),
        (&in_run, &handle),
        (&view, &unknown),
    ] {
        assert_eq!(foreign.open_file(handle).unwrap_err(), FileError::NotFound);
        assert_eq!(
            foreign.remove_file(handle).unwrap_err(),
            FileError::NotFound
        );
        let sent = foreign.call_json("add-depot-file", json!({"body": handle}));
        assert_eq!(
            sent.await.unwrap_err().to_string(),
            "invalid arguments for `add-depot-file`: at `/body`: there is no such file, or it has expired"
        );
    }
    assert!(stage.view("other").files().unwrap().is_empty());
    assert_eq!(view.files().unwrap().len(), 1);

    let outcome = outcomes(&stage.audit.events())[0].file.clone().unwrap();
    assert_eq!(outcome.handle, Some(handle.to_string()));
    assert_eq!((outcome.sha256, outcome.bytes), (sha256, 600));
    let revoked = view.clone();
    stage.registry.revoke(&role("reader"));
    assert_eq!(revoked.open_file(&handle).unwrap_err(), FileError::NotFound);
    let view = stage.view("reader");
    assert!(view.open_file(&handle).is_ok());
    stage.clock.advance(60);
    assert_eq!(view.open_file(&handle).unwrap_err(), FileError::NotFound);
    assert_eq!(
        stage.entries(),
        [""; 0],
        "an expired file is removed on access"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn the_store_is_private_and_follows_no_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let service = Service::start(|_| async { answer(200, "image/png", vec![7; 600]) }).await;
    let stage = Stage::new(&service, limits()).await;
    let view = stage.view("reader");
    let handle = download(&view).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&stage.store()), 0o700);
    for name in stage.entries() {
        assert_eq!(mode(&stage.store().join(name)), 0o600);
    }
    let outside = stage.folder.path().join("outside");
    fs::write(&outside, vec![7; 600]).unwrap();
    let content = stage.store().join(stage.entries()[0].clone());
    assert!(content.extension().is_some_and(|ending| ending == "data"));
    fs::remove_file(&content).unwrap();
    symlink(&outside, &content).unwrap();
    assert_eq!(view.open_file(&handle).unwrap_err(), FileError::NotFound);

    fs::remove_file(&content).unwrap();
    fs::write(&content, vec![8; 600]).unwrap();
    fs::set_permissions(&content, fs::Permissions::from_mode(0o600)).unwrap();
    let changed = view.open_file(&handle).unwrap().read(600);
    assert_eq!(changed, Err(FileError::Changed));
    let sent = view.call_json("add-depot-file", json!({"body": handle}));
    assert_eq!(sent.await.unwrap_err().code(), "file_changed");

    fs::set_permissions(stage.store(), fs::Permissions::from_mode(0o755)).unwrap();
    let refused = download(&view).await.unwrap_err();
    assert_eq!(refused.code(), "file_store_failed");
    let folder = stage.folder.path().display().to_string();
    assert!(!refused.to_string().contains(&folder), "{refused}");
    fs::remove_dir_all(stage.store()).unwrap();
    symlink(stage.folder.path(), stage.store()).unwrap();
    assert_eq!(
        download(&view).await.unwrap_err().code(),
        "file_store_failed"
    );
}

#[tokio::test]
async fn limits_and_quotas_are_errors_that_leave_nothing() {
    let service = Service::start(|seen| async move {
        let size: usize = seen.target.rsplit('/').next().unwrap().parse().unwrap();
        // Without a length, so that the size is noticed while the answer arrives.
        let stream = Body::from_stream(Chunks(size));
        answer(200, "application/octet-stream", stream)
    })
    .await;
    let stage = Stage::new(&service, limits()).await;
    let view = stage.view("reader");
    let get = |size: usize| view.call_json("get-depot-file", json!({"id": size.to_string()}));
    let error = get(1001).await.unwrap_err();
    assert_eq!(error.code(), "answer_too_large");
    assert_eq!(error.to_json()["error"]["limit"], 1000);
    assert_eq!(stage.entries(), [""; 0]);
    get(1000).await.unwrap();
    get(1000).await.unwrap();
    let error = get(501).await.unwrap_err();
    assert_eq!(error.code(), "file_quota_exceeded");
    assert_eq!(stage.entries().len(), 4);
    get(500).await.unwrap();
    let sent = service.seen().len();
    assert_eq!(get(0).await.unwrap_err().code(), "file_quota_exceeded");
    assert_eq!(service.seen().len(), sent, "a full store is noticed before");
    let other = stage.view("other");
    let other = other.call_json("get-depot-file", json!({"id": "1000"}));
    other.await.unwrap();
    stage.clock.advance(60);
    get(1000).await.unwrap();
    assert_eq!(stage.entries().len(), 2, "expired files make room");
}

/// A body of so many bytes, in small chunks.
struct Chunks(usize);

impl toolwright::Stream for Chunks {
    type Item = Result<Vec<u8>, std::io::Error>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        let next = self.0.min(100);
        self.0 -= next;
        std::task::Poll::Ready((next > 0).then(|| Ok(vec![7; next])))
    }
}

#[tokio::test]
async fn a_transfer_that_breaks_off_leaves_no_file() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 900\r\n\r\n";
            let body = format!("{head}{}", "x".repeat(500));
            stream.write_all(body.as_bytes()).await.unwrap();
        }
    });
    let service = Service::json(200, json!(1)).await;
    let stage = Stage::with(&service, limits(), |builder| {
        let mut spec = get_file();
        spec.name = "show-depot-file".parse().unwrap();
        let spec = at(spec, &url);
        let config = ServiceConfig {
            base_url: None,
            ..ServiceConfig::default()
        };
        builder
            .specs([spec])
            .service("depot".parse().unwrap(), config)
            .credentials(crate::support::no_credentials())
    })
    .await;
    let view = stage.view("reader");
    let error = view.call_json("show-depot-file", json!({"id": "1"})).await;
    assert_eq!(error.unwrap_err().code(), "connection_broken");
    assert_eq!(stage.entries(), [""; 0]);
}

#[tokio::test]
async fn what_an_interrupted_process_left_behind_is_removed_at_the_start() {
    let service = Service::json(200, json!(1)).await;
    let stage = Stage::new(&service, limits()).await;
    let view = stage.view("reader");
    let kept = view.add_file(&mut b"kept".as_slice(), "text/plain", "a.txt");
    let kept = kept.unwrap().handle;
    let digits = |digit: &str| digit.repeat(32);
    for (name, content) in [
        (format!("{}.part", digits("1")), "half"),
        (format!("{}.data", digits("2")), "without a record"),
        (format!("{}.json", digits("3")), "{"),
        (format!("{}.json.5b1", digits("4")), "{}"),
        ("notes.txt".to_owned(), "of somebody else"),
    ] {
        fs::write(stage.store().join(name), content).unwrap();
    }
    FileStore::new(stage.store(), limits())
        .sweep(stage.clock.now())
        .unwrap();
    assert_eq!(stage.entries().len(), 3, "{:?}", stage.entries());
    assert!(stage.store().join("notes.txt").exists());
    assert!(view.open_file(&kept).is_ok());
}

#[tokio::test]
async fn the_name_that_a_service_suggests_is_no_path() {
    let names = [
        ("attachment; filename=\"../../etc/passwd\"", json!("passwd")),
        ("attachment; filename=C:\\a\\b.txt", json!("b.txt")),
        (
            "inline; filename*=UTF-8''%2e%2e%2f%2e%2e%2fb%00%0a.sh",
            json!("b.sh"),
        ),
        ("attachment; filename=\"..\"", Value::Null),
        ("attachment; filename=\"/\"", Value::Null),
    ];
    let given = names.clone();
    let service = Service::start(move |seen| {
        let item: usize = seen.target.rsplit('/').next().unwrap().parse().unwrap();
        let header = given[item].0;
        async move {
            let mut answer = answer(200, "image/png; x=../..", "png");
            let header = header.parse().unwrap();
            answer.headers_mut().insert("content-disposition", header);
            answer
        }
    })
    .await;
    let stage = Stage::new(&service, limits()).await;
    let view = stage.view("reader");
    for (item, (_, expected)) in names.iter().enumerate() {
        let output = view.call_json("get-depot-file", json!({"id": item.to_string()}));
        let output = output.await.unwrap();
        assert_eq!(output.value.get("name").unwrap_or(&Value::Null), expected);
        assert_eq!(output.value["media_type"], "image/png");
    }
    let is_plain = |name: &String| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
    };
    assert!(
        stage.entries().iter().all(is_plain),
        "{:?}",
        stage.entries()
    );
}

#[tokio::test]
async fn a_body_with_a_secret_is_refused_wherever_the_secret_is() {
    use base64::{Engine, prelude::BASE64_STANDARD};

    let twice = BASE64_STANDARD.encode(BASE64_STANDARD.encode(format!("key={SECRET};")));
    let spaced: Vec<String> = SECRET.chars().map(String::from).collect();
    let forms = [
        SECRET.to_owned(),
        BASE64_STANDARD.encode(SECRET),
        twice,
        spaced.join(":"),
    ];
    let service = Service::start(move |seen| {
        let (form, at) = seen
            .target
            .rsplit('/')
            .next()
            .unwrap()
            .split_once('-')
            .unwrap();
        let (form, at): (usize, usize) = (form.parse().unwrap(), at.parse().unwrap());
        let mut body = vec![0; at];
        body.extend_from_slice(forms[form].as_bytes());
        body.extend(vec![0; 200_000]);
        async move { answer(200, "image/png", body) }
    })
    .await;
    let stage = Stage::new(&service, FileLimits::default()).await;
    let view = stage.view("reader");
    for form in 0..4 {
        for at in [0, 65_530, 65_536 + 4096 - 5, 69_630] {
            let id = json!({"id": format!("{form}-{at}")});
            let error = view
                .call_json("get-depot-file", id.clone())
                .await
                .unwrap_err();
            assert_eq!(error.code(), "unusable_answer", "{form} at {at}");
            assert_eq!(stage.entries(), [""; 0]);
            let written = Written::default();
            let writer = AnswerWriter::new(written.clone());
            view.call_to("get-depot-file", id, writer)
                .await
                .unwrap_err();
            let written = written.0.lock().unwrap();
            assert!(written.iter().all(|byte| *byte == 0), "{form} at {at}");
        }
    }
}

#[tokio::test]
async fn the_type_and_the_name_of_a_file_hold_no_secret() {
    let service = Service::start(|_| async {
        let mut answer = answer(200, &format!("image/{SECRET}"), "png");
        let header = format!("attachment; filename={SECRET}.png")
            .parse()
            .unwrap();
        answer.headers_mut().insert("content-disposition", header);
        answer
    })
    .await;
    let stage = Stage::new(&service, limits()).await;
    let view = stage.view("reader");
    let output = view.call_json("get-depot-file", json!({"id": "1"}));
    let output = output.await.unwrap();
    assert_eq!(output.value["media_type"], "application/octet-stream");
    assert_eq!(output.value.get("name"), None);
    for name in stage.entries() {
        let content = fs::read(stage.store().join(name)).unwrap();
        assert!(!String::from_utf8_lossy(&content).contains(SECRET));
    }
}

#[tokio::test]
async fn every_answer_can_be_written_elsewhere() {
    let long = format!("[{}1]", "1,".repeat(1 << 20));
    let sent = long.clone();
    let service = Service::start(move |_| {
        let long = sent.clone();
        async move { answer(200, "application/json", long) }
    })
    .await;
    let stage = Stage::new(&service, FileLimits::default()).await;
    let view = stage.view("reader");
    let called = view.call_json("get-depot-file", json!({"id": "1"})).await;
    assert_eq!(called.unwrap_err().code(), "answer_too_large");
    let written = Written::default();
    let writer = AnswerWriter::new(written.clone());
    let output = view.call_to("get-depot-file", json!({"id": "1"}), writer);
    let file = output.await.unwrap().file.unwrap();
    assert_eq!(file.size, long.len() as u64);
    assert_eq!(
        (file.handle, file.media_type.as_str()),
        (None, "application/json")
    );
    assert_eq!(*written.0.lock().unwrap(), long.as_bytes());
    assert_eq!(stage.entries(), [""; 0]);

    let service =
        Service::start(|_| async { answer(404, "application/json", "{\"message\": \"no\"}") })
            .await;
    let stage = Stage::new(&service, FileLimits::default()).await;
    let written = Written::default();
    let writer = AnswerWriter::new(written.clone());
    let view = stage.view("reader");
    let failed = view
        .call_to("get-depot-file", json!({"id": "1"}), writer)
        .await;
    assert_eq!(
        failed.unwrap_err().to_string(),
        "the service answered 404: no"
    );
    assert!(written.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_call_sends_a_file_by_its_handle() {
    let service = Service::json(201, json!({"id": 1})).await;
    let stage = Stage::new(&service, limits()).await;
    let view = stage.view("reader");
    let content = vec![0xff; 900];
    let added = |name: &str| {
        view.add_file(&mut content.as_slice(), "image/png", name)
            .unwrap()
    };
    let file = added("../a.png");
    assert_eq!(file.name.as_deref(), Some("a.png"));
    assert_eq!(
        added("a.png").handle,
        file.handle,
        "the same file has the same handle"
    );

    let handle = file.handle.to_string();
    view.call_json("add-depot-file", json!({"body": handle}))
        .await
        .unwrap();
    let seen = service.seen().pop().unwrap();
    assert_eq!(seen.body, content);
    assert_eq!(seen.header("content-length"), Some("900"));
    assert_eq!(seen.header("transfer-encoding"), None);

    let arguments = json!({"label": "a label", "file": {"content": handle, "filename": "b.png", "media_type": "image/png"}});
    view.call_json("attach-depot-file", arguments.clone())
        .await
        .unwrap();
    let seen = service.seen().pop().unwrap();
    let plain = json!({"label": "a label", "file": {
        "content": toolwright::codec::Bytes::new(&content).as_base64(), "filename": "b.png", "media_type": "image/png"}});
    view.call_json("attach-depot-file", plain).await.unwrap();
    let expected = service.seen().pop().unwrap();
    let without_boundary = |seen: &crate::support::Seen| {
        let boundary = seen
            .header("content-type")
            .unwrap()
            .split_once("boundary=")
            .unwrap()
            .1
            .to_owned();
        let text: String = seen.body.iter().map(|byte| char::from(*byte)).collect();
        text.replace(&boundary, "boundary")
    };
    assert_eq!(without_boundary(&seen), without_boundary(&expected));
    assert_eq!(
        seen.header("content-length"),
        expected.header("content-length")
    );

    let events = serde_json::to_string(&stage.audit.events()).unwrap();
    assert!(
        events.contains(&format!(
            "\"files\":[{{\"handle\":\"{handle}\",\"sha256\":\"{}\",\"bytes\":900}}]",
            file.sha256
        )),
        "{events}"
    );
}

#[tokio::test]
async fn a_file_takes_the_place_of_base64_in_a_json_body() {
    let service = Service::json(201, json!({"id": 1})).await;
    let stage = Stage::with(&service, FileLimits::default(), |builder| {
        let body = json!({"media_type": "application/json", "content": "json", "required": true,
                          "shape": {"fields": [{"name": "label", "value": {"argument": "label"}},
                                               {"name": "files", "value": {"argument": "files"}}]}});
        let mut spec = upload("put-depot-files", body);
        let bytes = json!({"type": "string", "contentEncoding": "base64"});
        spec.input_schema = json!({"type": "object", "properties": {
            "label": {"type": "string"},
            "files": {"type": "array", "items": {"$ref": "#/$defs/file"}},
        }, "$defs": {"file": {"type": "object", "properties": {"data": bytes, "text": {"type": "string"}}}}})
        .into();
        let mut query = spec.clone();
        query.name = "find-depot-file".parse().unwrap();
        query.input_schema = json!({"type": "object", "properties": {"q": bytes}}).into();
        query.binding = toolwright::binding::Binding::Http(
            serde_json::from_value(json!({"method": "GET", "path": "/", "parameters": [
                {"name": "q", "location": "query", "value": {"argument": "q"}, "style": "form", "explode": true}]}))
            .unwrap(),
        );
        builder.specs([at(spec, &service.url), at(query, &service.url)])
    })
    .await;
    let view = stage.view("reader");
    let contents = [vec![1_u8; 100_000], vec![2; 61_440], vec![3; 1]];
    let handles: Vec<String> = contents
        .iter()
        .map(|content| {
            let added = view.add_file(&mut content.as_slice(), "image/png", "a.png");
            added.unwrap().handle.to_string()
        })
        .collect();
    let arguments = json!({"label": handles[0], "files": [
        {"data": handles[1], "text": "x"}, {"data": "AAAA"}, {"data": handles[0]}, {"data": handles[2]}]});
    view.call_json("put-depot-files", arguments).await.unwrap();
    let seen = service.seen().pop().unwrap();
    let encoded = |index: usize| {
        toolwright::codec::Bytes::new(&contents[index])
            .as_base64()
            .to_owned()
    };
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    assert_eq!(
        seen.header("content-length"),
        Some(seen.body.len().to_string().as_str())
    );
    assert_eq!(
        body["label"],
        handles[0].as_str(),
        "a string that is no base64 stays"
    );
    assert_eq!(
        body["files"],
        json!([{"data": encoded(1), "text": "x"}, {"data": "AAAA"}, {"data": encoded(0)}, {"data": encoded(2)}])
    );
    let refused = view
        .call_json("find-depot-file", json!({"q": handles[0]}))
        .await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "invalid arguments for `find-depot-file`: at `/q`: cannot be the handle of a file here: give base64"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_is_an_error_of_the_store() {
    let service = Service::start(|_| async { answer(200, "image/png", vec![7; 200_000]) }).await;
    let stage = Stage::new(&service, FileLimits::default()).await;
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let view = stage.view("reader");
    let called = view.call_to(
        "get-depot-file",
        json!({"id": "1"}),
        AnswerWriter::new(full),
    );
    let error = called.await.unwrap_err();
    assert_eq!(error.code(), "file_store_failed");
    assert!(
        error.detail().unwrap().contains("No space left"),
        "{:?}",
        error.detail()
    );
    assert_eq!(error.to_string(), "the store of files cannot be used");
}

#[tokio::test]
async fn a_download_can_be_uploaded_again_without_the_model() {
    let service = Service::start(|seen| async move {
        match seen.method.as_str() {
            "GET" => answer(200, "image/png", vec![9; 700]),
            _ => answer(201, "application/json", "{}"),
        }
    })
    .await;
    let stage = Stage::new(&service, limits()).await;
    let view = stage.view("reader");
    let handle = download(&view).await.unwrap();
    view.call_json("add-depot-file", json!({"body": handle}))
        .await
        .unwrap();
    assert_eq!(service.seen().pop().unwrap().body, vec![9; 700]);
}

#[tokio::test]
async fn an_approval_shows_the_digest_and_is_bound_to_it() {
    let service = Service::json(201, json!({"id": 1})).await;
    let stage = Stage::with(&service, limits(), |builder| {
        let mut spec = upload_bytes();
        spec.name = "create-depot-file".parse().unwrap();
        spec.approval_required = true;
        builder.specs([at(spec, "http://127.0.0.1:9")])
    })
    .await;
    let view = stage.view("reader");
    let add = |content: &str| {
        let added = view.add_file(&mut content.as_bytes(), "text/plain", "plan.txt");
        added.unwrap()
    };
    let (first, second) = (add("first"), add("second"));
    let call = |handle: &FileHandle| view.call_json("create-depot-file", json!({"body": handle}));
    assert_eq!(
        call(&first.handle).await.unwrap_err().code(),
        "approval_required"
    );
    let pending = stage.registry.approvals().pending(stage.clock.now()).await;
    let pending = pending.unwrap().remove(0);
    let shown = &pending.shown.request.as_ref().unwrap().files[0];
    assert_eq!(shown.name.as_deref(), Some("plan.txt"));
    assert_eq!((shown.size, &shown.sha256), (5, &first.sha256));
    let decision = toolwright::approval::Decision::new(
        toolwright::approval::Verdict::Approved,
        "operator",
        stage.clock.now(),
    );
    stage
        .registry
        .decide(pending.handle, decision.unwrap())
        .await
        .unwrap();
    assert_eq!(
        call(&second.handle).await.unwrap_err().code(),
        "approval_required"
    );
    call(&first.handle).await.unwrap();
    assert_eq!(service.seen().pop().unwrap().body, b"first");
}

#[tokio::test]
async fn without_a_store_bytes_are_base64_and_handles_are_refused() {
    let service = Service::start(|_| async { answer(200, "image/png", "png") }).await;
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(&audit)
        .specs([
            at(get_file(), &service.url),
            at(upload_bytes(), &service.url),
        ])
        .enable("*")
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let output = view
        .call_json("get-depot-file", json!({"id": "1"}))
        .await
        .unwrap();
    assert_eq!(
        output.value,
        json!({"media_type": "image/png", "size": 3, "content": "cG5n"})
    );
    let handle = format!("file-{}", "0".repeat(32));
    let sent = view
        .call_json("add-depot-file", json!({"body": handle}))
        .await;
    assert_eq!(sent.unwrap_err().code(), "invalid_arguments");
    assert_eq!(view.files().unwrap_err(), FileError::NoStore);
}

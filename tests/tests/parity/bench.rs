//! A registry of one service on loopback, in which every call is granted and approved.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{
    AnswerContent, BodyShape, Bound, ScopedToolView, StatusPattern, ToolCall, ToolError, ToolSpec,
    audit::MemoryAudit, codec::Codec, testing::TestView,
};
use toolwright_tests::{Answer, Extent, Recorder, example, view_of_all};

/// What one call did, seen from outside.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    /// The bytes of the requests.
    requests: Vec<String>,
    /// The audit events, without what differs from call to call.
    events: Vec<Value>,
    /// The result.
    result: Result<Value, ToolError>,
}

/// The request that a call sent, and what the call returned.
pub(crate) type Called = (String, Value);

/// A registry of one service on loopback.
pub(crate) struct Bench {
    recorder: Recorder,
    audit: Arc<MemoryAudit>,
    view: ScopedToolView,
    runtime: tokio::runtime::Runtime,
    _credentials: tempfile::TempDir,
}

impl Bench {
    /// A registry of these tools, all of one service.
    pub(crate) fn new(specs: Vec<ToolSpec>) -> Self {
        let recorder = Recorder::start(Answer::empty(204)).unwrap();
        let audit = Arc::new(MemoryAudit::new());
        let folder = tempfile::tempdir().unwrap();
        let local = folder.path().join(".local").join(specs[0].service.as_str());
        let mut auth = json!({"base_url": recorder.url(), "api_token": "t0ken"});
        for constant in specs.iter().flat_map(constants) {
            auth[constant] = json!("here");
        }
        toolwright::private::write(&local.join("admin-auth.json"), auth.to_string()).unwrap();
        Self {
            recorder,
            view: view_of_all(specs, folder.path(), Arc::clone(&audit)),
            audit,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap(),
            _credentials: folder,
        }
    }

    /// Calls the tool with an example of its arguments, typed and as JSON, and compares.
    pub(crate) fn compare<T: ToolCall>(&self, extent: Extent) {
        let spec = self.view.spec(T::NAME).expect(T::NAME);
        self.recorder.answer(answer(&spec));
        let arguments = example(&spec.input_schema, extent);
        let typed = T::decode(arguments.clone()).unwrap();
        assert_eq!(typed.encode(), arguments, "{}", T::NAME);

        let by_json = self.seen(async {
            let output = self.view.call_json(T::NAME, arguments).await?;
            Ok(output.value)
        });
        let by_type = self.seen(async {
            let output = self.view.call(typed).await?;
            Ok(output.encode())
        });
        assert_eq!(by_type, by_json, "{}", T::NAME);
        assert!(by_json.result.is_ok(), "{}: {:?}", T::NAME, by_json.result);
        assert_eq!(by_json.requests.len(), 1, "{}", T::NAME);
        assert_eq!(by_json.events.len(), 2, "{}", T::NAME);
    }

    /// Where the service is.
    pub(crate) fn url(&self) -> String {
        self.recorder.url()
    }

    /// The request that a call of the tool sends, and what the call returns.
    pub(crate) fn called(&self, tool: &str, arguments: Value) -> Called {
        let spec = self.view.spec(tool).expect(tool);
        self.recorder.answer(answer(&spec));
        let output = self.run(self.view.call_json(tool, arguments));
        (self.request(tool), output.expect(tool).value)
    }

    /// The same of another view, whose tool is answered as this one's.
    pub(crate) fn called_by(&self, view: &TestView, tool: &str, arguments: Value) -> Called {
        let spec = self.view.spec(tool).expect(tool);
        self.recorder.answer(answer(&spec));
        let mut output = self.run(view.call(tool, arguments.clone()));
        if matches!(output, Err(ToolError::ApprovalRequired { .. })) {
            assert_eq!(self.run(view.approve()), Ok(1));
            output = self.run(view.call(tool, arguments));
        }
        (self.request(tool), output.expect(tool))
    }

    /// Waits for a call.
    pub(crate) fn run<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.block_on(call)
    }

    /// What the service was asked since.
    pub(crate) fn sent(&self) -> Vec<String> {
        self.recorder.take()
    }

    fn request(&self, tool: &str) -> String {
        let requests = self.sent();
        assert_eq!(requests.len(), 1, "{tool}: {requests:?}");
        requests.into_iter().next().unwrap_or_default()
    }

    fn seen(&self, call: impl Future<Output = Result<Value, ToolError>>) -> Seen {
        let before = self.audit.events().len();
        let result = self.runtime.block_on(call);
        Seen {
            requests: self.recorder.take(),
            events: self.audit.events()[before..]
                .iter()
                .map(|event| lasting(serde_json::to_value(event).unwrap()))
                .collect(),
            result,
        }
    }
}

/// The service constants that a tool's request needs.
fn constants(spec: &ToolSpec) -> Vec<&str> {
    let binding = spec.http().unwrap();
    let fields = match binding.body.as_ref().map(|body| &body.shape) {
        Some(BodyShape::Fields(fields)) => fields.as_slice(),
        Some(BodyShape::Whole(_)) | None => &[],
    };
    let parameters = binding.parameters.iter().map(|parameter| &parameter.value);
    let values = parameters.chain(fields.iter().map(|field| &field.value));
    let mut found = Vec::new();
    for value in values {
        if let Bound::Constant(name) = value {
            found.push(name.as_str());
        }
    }
    found
}

/// The event without what differs from call to call.
fn lasting(mut event: Value) -> Value {
    let fields = event.as_object_mut().unwrap();
    for field in ["time", "correlation_id", "duration_ms", "approval"] {
        fields.remove(field);
    }
    event
}

/// An answer that the specification describes, to a success.
fn answer(spec: &ToolSpec) -> Answer {
    let answers = &spec.http().unwrap().answers;
    let Some(success) = answers.iter().find(|answer| answer.status.is_success()) else {
        return Answer::empty(204);
    };
    let status = match success.status {
        StatusPattern::Exact(status) => status,
        StatusPattern::Class(class) => u16::from(class) * 100,
        StatusPattern::Default => 200,
    };
    let body = match success.content {
        AnswerContent::Json => {
            let schema = spec.output_schema.clone().unwrap_or(Value::Bool(true));
            example(&schema, Extent::Most).to_string().into_bytes()
        }
        AnswerContent::Lines | AnswerContent::Events | AnswerContent::EventData => Vec::new(),
        AnswerContent::Text | AnswerContent::Binary => b"some text".to_vec(),
        AnswerContent::Empty => return Answer::empty(status),
    };
    let media_type = success.media_types.first().cloned();
    Answer {
        status,
        media_type: media_type.unwrap_or_default().replace('*', "octet-stream"),
        body,
    }
}

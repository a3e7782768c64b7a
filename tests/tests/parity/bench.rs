//! A registry of one loopback service with every call granted and approved.

use std::{pin::Pin, sync::Arc};

use serde_json::{Value, json};
use toolwright::{
    ScopedToolView, ToolCall, ToolError, ToolSpec,
    audit::MemoryAudit,
    binding::{AnswerContent, BodyShape, Bound, StatusPattern, ToolSchema},
    codec::Codec,
    testing::TestView,
};
use toolwright_tests::{Answer, Extent, Recorder, example, view_of_all};

/// The observable effects of one call.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    /// The raw requests.
    requests: Vec<String>,
    /// The audit events without fields that vary between calls.
    events: Vec<Value>,
    /// The result.
    result: Result<Value, ToolError>,
}

/// The request of a call and its result.
pub(crate) type Called = (String, Value);

/// A registry of one loopback service.
pub(crate) struct Bench {
    recorder: Recorder,
    audit: Arc<MemoryAudit>,
    view: ScopedToolView,
    runtime: tokio::runtime::Runtime,
    _credentials: tempfile::TempDir,
}

impl Bench {
    /// Creates a registry of tools that belong to one service.
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

    /// Calls a tool with example arguments, typed and as JSON, and compares the effects.
    pub(crate) fn compare<T: ToolCall>(&self, extent: Extent) {
        let spec = self.view.spec(T::NAME).expect(T::NAME);
        self.recorder.set_answer(answer(&spec));
        let arguments = example(spec.input_schema.whole(), extent);
        let typed = T::decode(arguments.clone()).unwrap();
        assert_eq!(typed.encode(), arguments, "{}", T::NAME);

        let by_json = self.observe(async {
            let output = self.view.call_json(T::NAME, arguments).await?;
            Ok(output.value)
        });
        let by_type = self.observe(async {
            let output = self.view.call(typed).await?;
            Ok(output.encode())
        });
        assert_eq!(by_type, by_json, "{}", T::NAME);
        assert!(by_json.result.is_ok(), "{}: {:?}", T::NAME, by_json.result);
        assert_eq!(by_json.requests.len(), 1, "{}", T::NAME);
        assert_eq!(by_json.events.len(), 2, "{}", T::NAME);
    }

    /// The URL of the service.
    pub(crate) fn url(&self) -> String {
        self.recorder.url()
    }

    /// Calls a tool and returns its request and result.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Called {
        let spec = self.view.spec(tool).expect(tool);
        self.recorder.set_answer(answer(&spec));
        let output = self.run(self.view.call_json(tool, arguments));
        (self.request(tool), output.expect(tool).value)
    }

    /// Calls a tool of another view, with the same response.
    pub(crate) fn call_by(&self, view: &TestView, tool: &str, arguments: Value) -> Called {
        let spec = self.view.spec(tool).expect(tool);
        self.recorder.set_answer(answer(&spec));
        let mut output = self.run(view.call(tool, arguments.clone()));
        if matches!(output, Err(ToolError::ApprovalRequired { .. })) {
            assert_eq!(self.run(view.approve()), Ok(1));
            output = self.run(view.call(tool, arguments));
        }
        (self.request(tool), output.expect(tool))
    }

    /// Waits for a call. The runtime sees one type of call, so that it is not compiled for each tool.
    pub(crate) fn run<T>(&self, call: impl Future<Output = T>) -> T {
        let call: Pin<Box<dyn Future<Output = T> + '_>> = Box::pin(call);
        self.runtime.block_on(call)
    }

    /// Returns the requests since the last call of this function.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        let requests = self.recorder.take_requests().into_iter();
        requests.map(|request| without_own_key(&request)).collect()
    }

    fn request(&self, tool: &str) -> String {
        let requests = self.take_requests();
        assert_eq!(requests.len(), 1, "{tool}: {requests:?}");
        requests.into_iter().next().unwrap_or_default()
    }

    fn observe(&self, call: impl Future<Output = Result<Value, ToolError>>) -> Seen {
        let before = self.audit.events().len();
        let result = self.run(call);
        Seen {
            requests: self.take_requests(),
            events: self.audit.events()[before..]
                .iter()
                .map(|event| stable_fields(serde_json::to_value(event).unwrap()))
                .collect(),
            result,
        }
    }
}

/// Returns a request without the idempotency key of the runtime, which is the id of the call.
fn without_own_key(request: &str) -> String {
    let is_own_key = |line: &str| {
        let key = line.trim_end().strip_prefix("idempotency-key: ");
        key.is_some_and(|key| key.len() == 36 && key.split('-').count() == 5)
    };
    let lines = request.split_inclusive('\n');
    lines.filter(|line| !is_own_key(line)).collect()
}

/// Returns the service constants in a tool's request.
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

/// Removes the fields that vary between calls.
fn stable_fields(mut event: Value) -> Value {
    let fields = event.as_object_mut().unwrap();
    for field in ["time", "correlation_id", "duration_ms", "approval"] {
        fields.remove(field);
    }
    event
}

/// Returns a successful response that the specification describes.
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
            let schema = spec.output_schema.as_ref();
            let schema = schema.map_or(Value::Bool(true), ToolSchema::to_value);
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

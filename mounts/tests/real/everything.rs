//! A server that asks the user and the model of its client.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright::{
    Asker, Role, ToolError,
    approval::{Decision, Verdict},
    audit::ServerRequest,
    jiff::Timestamp,
};

use crate::{World, folder, node};

/// A client that answers each request, and keeps it.
#[derive(Clone, Default)]
struct Answering(Arc<Mutex<Vec<Value>>>);

impl Asker for Answering {
    fn answers(&self, _: ServerRequest) -> bool {
        true
    }

    fn ask(
        &self,
        request: ServerRequest,
        params: Value,
    ) -> std::pin::Pin<Box<dyn Future<Output = Option<Value>> + Send>> {
        self.0.lock().unwrap().push(params);
        let answer = match request {
            ServerRequest::Elicitation => {
                json!({"action": "accept", "content": {"name": "Ann Example"}})
            }
            _ => json!({
                "role": "assistant", "model": "m", "content": {"type": "text", "text": "Roses are red."},
            }),
        };
        Box::pin(async move { Some(answer) })
    }
}

/// Calls a tool, also if a person must approve it.
async fn call(world: &World, client: &Answering, tool: &str, arguments: Value) -> String {
    let name = world.spec(tool).name.as_str();
    let view = world.registry.for_agent(&Role::new("all").unwrap());
    let view = view.asking(client.clone());
    let mut called = view.call_json(name, arguments.clone()).await;
    if let Err(ToolError::ApprovalRequired { .. }) = called {
        let now = Timestamp::now();
        let pending = world.registry.approvals().pending(now).await.unwrap();
        let decision = Decision::new(Verdict::Approved, "ann", now).unwrap();
        let handle = pending[0].handle.clone();
        world.registry.decide(handle, decision).await.unwrap();
        called = view.call_json(name, arguments).await;
    }
    called.unwrap().value.to_string()
}

pub(crate) async fn everything() {
    let (command, modules) = (node("server-everything"), folder().canonicalize().unwrap());
    let table = format!(
        "command = [{command}]\nread = [{modules:?}]\nrequests = [\"elicitation\", \"sampling\"]"
    );
    let world = World::new("everything", &table).await;
    let client = Answering::default();
    let elicited = call(
        &world,
        &client,
        "trigger-elicitation-request",
        json!({"body": {}}),
    )
    .await;
    assert!(elicited.contains("Ann Example"), "{elicited}");
    let prompt = json!({"prompt": "Write a poem.", "maxTokens": 7});
    let sampled = call(&world, &client, "trigger-sampling-request", prompt).await;
    assert!(sampled.contains("Roses are red."), "{sampled}");
    let asked = client.0.lock().unwrap();
    let marks = ["message", "systemPrompt"].iter().zip(asked.iter());
    for (key, params) in marks {
        let text = params[*key].as_str().unwrap();
        assert!(text.contains("mounted server `everything`"), "{params}");
    }
    assert_eq!(asked[1]["maxTokens"], 7);
}

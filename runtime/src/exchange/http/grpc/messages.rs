//! The messages of a service, from the descriptors of its tools.

use std::sync::Arc;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor};
use serde_json::Value;
use toolwright_model::{GrpcCall, JsonPointer};

use super::json;

/// The messages that the methods of a service send and receive.
#[derive(Debug)]
pub(super) struct Messages(DescriptorPool);

/// JSON that is not that of the message.
#[derive(Debug)]
pub(super) struct Misfit {
    /// The place.
    pub(super) pointer: String,
    /// What is wrong with it.
    pub(super) message: String,
}

impl Messages {
    /// Returns the messages of a service. They are read once for all its tools.
    pub(super) fn of(call: &GrpcCall) -> Result<Arc<Self>, String> {
        let read = call.descriptors.read_once(|base64| {
            let bytes = BASE64_STANDARD
                .decode(base64)
                .map_err(|error| error.to_string())?;
            let pool = DescriptorPool::decode(bytes.as_slice());
            let pool = pool.map_err(|error| error.to_string())?;
            Ok(Arc::new(Self(pool)))
        });
        let read: Option<Arc<Result<Arc<Self>, String>>> = read;
        match read.as_deref() {
            Some(Ok(messages)) => Ok(Arc::clone(messages)),
            Some(Err(problem)) => Err(format!("its descriptors cannot be read: {problem}")),
            None => Err("its record has no descriptors".to_owned()),
        }
    }

    /// Returns the bytes of a message for its JSON. No JSON is a message without fields.
    pub(super) fn encode(&self, name: &str, json: &[u8]) -> Result<Vec<u8>, Misfit> {
        let descriptor = self.find(name).map_err(|message| Misfit {
            pointer: String::new(),
            message,
        })?;
        if json.is_empty() {
            return Ok(Vec::new());
        }
        let mut reader = serde_json::Deserializer::from_slice(json);
        let mut track = serde_path_to_error::Track::new();
        let tracked = serde_path_to_error::Deserializer::new(&mut reader, &mut track);
        let options = DeserializeOptions::new().deny_unknown_fields(true);
        let read = DynamicMessage::deserialize_with_options(descriptor, tracked, &options);
        match read {
            Ok(message) => Ok(message.encode_to_vec()),
            Err(error) => Err(Misfit {
                pointer: pointer_of(&track.path()),
                message: format!("does not fit the message: {}", reason(&error)),
            }),
        }
    }

    /// Returns the JSON of a message.
    pub(super) fn decode(&self, name: &str, bytes: &Bytes) -> Result<Value, String> {
        let message = DynamicMessage::decode(self.find(name)?, bytes.clone());
        let message = message
            .map_err(|_| "the service's answer is not the message that its document describes")?;
        json::of_message(&message)
    }

    /// Checks whether a message has no fields, and no JSON form of its own.
    pub(super) fn is_empty(&self, name: &str) -> bool {
        self.find(name)
            .is_ok_and(|message| message.fields().len() == 0)
    }

    /// Returns the JSON of a message in an `Any`.
    pub(super) fn of_any(&self, type_url: &str, value: &[u8]) -> Value {
        json::of_any(&self.0, type_url, value)
    }

    fn find(&self, name: &str) -> Result<MessageDescriptor, String> {
        let found = self.0.get_message_by_name(name);
        found.ok_or_else(|| format!("its descriptors lack the message `{name}`"))
    }
}

fn pointer_of(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let steps = path.iter().map(|segment| match segment {
        Segment::Seq { index } => index.to_string(),
        Segment::Map { key } => key.clone(),
        Segment::Enum { variant } => variant.clone(),
        Segment::Unknown => "?".to_owned(),
    });
    JsonPointer::from_iter(steps.collect::<Vec<_>>()).into()
}

/// Returns the reason without a place in the encoded text, which nobody sees.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_owned()
}

//! gRPC: how a tool is bound to a method, and the descriptors of its messages.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One method of a gRPC service.
///
/// The binding is that of an HTTP request with a body of JSON, in the mapping that Protocol Buffers
/// define. The runtime sends the message that the JSON describes, and returns the JSON of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrpcCall {
    /// The full name of the method: `google.pubsub.v1.Publisher.ListTopics`.
    pub method: String,
    /// The full name of the message that is sent.
    pub request: String,
    /// The full name of the message that is received.
    pub response: String,
    /// True if the service sends a stream of messages: the result is a list of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub server_streaming: bool,
    /// True if the document declares that repeating a call has no further effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
    /// The descriptors of the messages.
    #[serde(default, skip_serializing_if = "Descriptors::is_empty")]
    pub descriptors: Descriptors,
}

/// A `FileDescriptorSet` as base64: the messages and enums that the methods of a service reach, and
/// nothing else.
///
/// The tools of a service share one copy, in memory and in their table of records. The JSON form of a
/// single record contains the set.
#[derive(Clone, Default)]
pub struct Descriptors(Option<Arc<Shared>>);

struct Shared {
    base64: Box<str>,
    /// What the runtime made of the set.
    read: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl GrpcCall {
    /// Returns the path of the method below the base URL: `/google.pubsub.v1.Publisher/ListTopics`.
    #[must_use]
    pub fn path(&self) -> String {
        match self.method.rsplit_once('.') {
            Some((service, method)) => format!("/{service}/{method}"),
            None => format!("/{}", self.method),
        }
    }
}

impl Descriptors {
    /// Creates a set from its base64 form.
    #[must_use]
    pub fn new(base64: &str) -> Self {
        let shared = || Shared {
            base64: base64.into(),
            read: OnceLock::new(),
        };
        Self((!base64.is_empty()).then(|| Arc::new(shared())))
    }

    /// Checks whether the set is missing, as in a table of records that share it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the base64 form.
    #[must_use]
    pub fn as_base64(&self) -> &str {
        self.0.as_deref().map_or("", |shared| &shared.base64)
    }

    /// Reads the set with this function, unless a record that shares it has done so before. What is made of
    /// it first is kept, and anything of another type is made again. `None` if the set is missing.
    #[must_use]
    pub fn read_once<T: Any + Send + Sync>(&self, read: impl FnOnce(&str) -> T) -> Option<Arc<T>> {
        let shared = self.0.as_ref()?;
        if let Some(kept) = shared.read.get() {
            let kept = Arc::clone(kept).downcast().ok();
            return Some(kept.unwrap_or_else(|| Arc::new(read(&shared.base64))));
        }
        let made = Arc::new(read(&shared.base64));
        let kept = shared.read.get_or_init(|| Arc::<T>::clone(&made) as _);
        Some(Arc::clone(kept).downcast().unwrap_or(made))
    }

    /// Refers to a shared set if the record has none of its own.
    pub(crate) fn share(&mut self, shared: &Self) {
        if self.is_empty() {
            self.0.clone_from(&shared.0);
        }
    }
}

impl fmt::Debug for Descriptors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Descriptors({} characters)", self.as_base64().len())
    }
}

impl PartialEq for Descriptors {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(other)) if Arc::ptr_eq(own, other) => true,
            _ => self.as_base64() == other.as_base64(),
        }
    }
}

impl Eq for Descriptors {}

impl Serialize for Descriptors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_base64().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Descriptors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let base64 = String::deserialize(deserializer)?;
        Ok(Self::new(&base64))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_survives_its_json_form() {
        let json = json!({
            "method": "shop.v1.Orders.WatchOrders", "request": "shop.v1.WatchOrdersRequest",
            "response": "shop.v1.Order", "server_streaming": true, "idempotent": true,
            "descriptors": "CgA=",
        });
        let mut call: GrpcCall = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(&call).unwrap(), json);
        assert_eq!(call.path(), "/shop.v1.Orders/WatchOrders");
        let shared = Descriptors::new("CgEA");
        call.descriptors.share(&shared);
        assert_eq!(call.descriptors.as_base64(), "CgA=", "its own set wins");
        call.descriptors = Descriptors::default();
        call.descriptors.share(&shared);
        assert_eq!(call.descriptors, shared);
    }

    #[test]
    fn a_shared_set_is_read_once() {
        let set = Descriptors::new("CgA=");
        let other = set.clone();
        assert_eq!(set.read_once(str::len).as_deref(), Some(&4));
        assert_eq!(other.read_once(|_| 0_usize).as_deref(), Some(&4));
        assert_eq!(Descriptors::default().read_once(str::len), None);
    }
}

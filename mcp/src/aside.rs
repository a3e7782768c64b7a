//! Work that computes for long without waiting, such as reading or checking a large message.

use std::{
    future::{Future, poll_fn},
    pin::pin,
};

use serde_json::Value;
use tokio::runtime::{Handle, RuntimeFlavor};

/// The size from which a message is large, in approximate bytes.
pub(crate) const LARGE: usize = 64 << 10;

/// Runs a future so the other tasks of the worker thread can continue while it computes.
///
/// A runtime with one thread cannot move them, so it runs the future directly.
pub(crate) async fn aside<F: Future>(future: F) -> F::Output {
    let runtime = Handle::current().runtime_flavor();
    if runtime == RuntimeFlavor::CurrentThread {
        return future.await;
    }
    let mut future = pin!(future);
    poll_fn(|context| tokio::task::block_in_place(|| future.as_mut().poll(context))).await
}

/// Checks whether a value has [`LARGE`] bytes or more, without looking at the rest.
pub(crate) fn is_large(value: &Value) -> bool {
    let mut left = LARGE;
    !fits(value, &mut left)
}

/// Subtracts the size of a value from the remaining size, and returns whether it was enough.
fn fits(value: &Value, left: &mut usize) -> bool {
    let own = match value {
        Value::String(text) => text.len() + 3,
        Value::Array(_) | Value::Object(_) => 3,
        _ => 2,
    };
    let Some(rest) = left.checked_sub(own) else {
        return false;
    };
    *left = rest;
    match value {
        Value::Array(items) => items.iter().all(|item| fits(item, left)),
        Value::Object(fields) => fields.iter().all(|(name, field)| {
            *left = left.saturating_sub(name.len() + 4);
            fits(field, left)
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_strings_and_many_values_are_large() {
        assert!(!is_large(&json!({"text": "x".repeat(LARGE / 2)})));
        assert!(is_large(&json!({"text": "x".repeat(LARGE)})));
        assert!(is_large(&json!({"list": vec![0; LARGE / 2]})));
        assert!(is_large(&json!({ ("x".repeat(LARGE)): 0 })));
        assert!(!is_large(&json!({"list": vec![0; LARGE / 8]})));
    }
}

//! Values that are never shown.

use std::{cell::Cell, fmt};

use serde_json::Value;

use super::{Codec, Nullable, Reader};

/// What `Debug` shows of a secret.
const HIDDEN: &str = "(hidden)";

thread_local! {
    /// True while a value is written for a person to read.
    static SHOWN: Cell<bool> = const { Cell::new(false) };
}

/// A secret value: a password, a key, a code. `Debug` hides it, also within the values that hold
/// it, whereas [`Codec::encode`] writes it.
///
/// Generated types have it where the specification declares a value as a secret: `writeOnly`, or
/// the format `password`.
///
/// ```
/// use toolwright_adapter::codec::{Codec, Secret};
///
/// let password: Secret<String> = "hunter2".into();
/// assert_eq!(format!("{password:?}"), "(hidden)");
/// assert_eq!(password.expose(), "hunter2");
/// assert_eq!(password.encode(), "hunter2");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value, to use it.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// Returns the value, to use it.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl From<&str> for Secret<String> {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl<T> From<T> for Nullable<Secret<T>> {
    fn from(value: T) -> Self {
        Self::Value(Secret(value))
    }
}

impl From<&str> for Nullable<Secret<String>> {
    fn from(text: &str) -> Self {
        Self::Value(text.into())
    }
}

impl<T: Codec> Codec for Secret<T> {
    fn read(value: Value, reader: &mut Reader) -> Self {
        Self(T::read(value, reader))
    }

    fn encode(&self) -> Value {
        if SHOWN.get() {
            HIDDEN.into()
        } else {
            self.0.encode()
        }
    }

    fn takes_null() -> bool {
        T::takes_null()
    }
}

/// Encodes a value for a person to read: every secret in it is hidden.
pub(super) fn encode_shown(value: &dyn Codec) -> Value {
    /// Restores the state, also after a panic.
    struct Restore(bool);

    impl Drop for Restore {
        fn drop(&mut self) {
            SHOWN.set(self.0);
        }
    }

    let _restore = Restore(SHOWN.replace(true));
    value.encode()
}

/// Writes a value that fits none of the types of a union, some of which hold secrets. `Debug` hides
/// it as a whole.
#[must_use]
pub fn unlisted(value: &Value) -> Value {
    if SHOWN.get() {
        HIDDEN.into()
    } else {
        value.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{self, Extra, json};

    #[derive(Clone)]
    struct Login {
        user: String,
        password: Secret<String>,
        pin: Option<Nullable<Secret<i64>>>,
        codes: Vec<Secret<String>>,
        additional: Extra,
    }

    impl Codec for Login {
        fn read(value: Value, reader: &mut Reader) -> Self {
            let mut fields = reader.object(value);
            Self {
                user: fields.take("user"),
                password: fields.take("password"),
                pin: fields.take("pin"),
                codes: fields.take("codes"),
                additional: fields.rest(),
            }
        }

        fn encode(&self) -> Value {
            let fields: [(&str, &dyn Codec); 4] = [
                ("user", &self.user),
                ("password", &self.password),
                ("pin", &self.pin),
                ("codes", &self.codes),
            ];
            codec::object(&fields, &self.additional)
        }
    }

    codec::forward!(Login);

    fn login() -> (Value, Login) {
        let json = json!({"user": "bob", "password": "hunter2", "pin": 4711, "codes": ["abcdef"]});
        (json.clone(), Login::decode(json).unwrap())
    }

    #[test]
    fn debug_hides_secrets_at_every_depth() {
        let (json, login) = login();
        let all = (
            vec![login.clone()],
            Some(&login),
            codec::Json(login.clone()),
        );
        for text in [format!("{all:?}"), format!("{all:#?}")] {
            assert!(text.contains("bob") && text.contains(HIDDEN), "{text}");
            for secret in ["hunter2", "4711", "abcdef"] {
                assert!(!text.contains(secret), "{text}");
            }
        }
        assert_eq!(login.encode(), json);
    }

    #[test]
    fn equality_and_errors_know_the_value_and_never_show_it() {
        let (json, login) = login();
        let mut other = login.clone();
        other.password = "hunter3".into();
        assert_ne!(login, other);
        let mut wrong = json;
        wrong["password"] = json!({"x": "hunter2"});
        wrong["pin"] = "4711".into();
        let error = Login::decode(wrong).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains("password") && text.contains("pin"), "{text}");
        assert!(
            !text.contains("hunter2") && !text.contains("4711"),
            "{text}"
        );
    }

    #[test]
    fn the_state_is_restored_after_a_panic() {
        struct Panics;

        impl Codec for Panics {
            fn read(_: Value, _: &mut Reader) -> Self {
                Self
            }

            fn encode(&self) -> Value {
                panic!("on purpose")
            }
        }

        assert!(std::panic::catch_unwind(|| encode_shown(&Panics)).is_err());
        assert_eq!(Secret::new("x".to_owned()).encode(), "x");
    }
}

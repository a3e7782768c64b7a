//! The auth file. Its errors never contain a value.

use serde_json::{Map, Value};
use toolwright_model::most_similar;

use super::{
    Access,
    oauth::OauthClient,
    pem::{CERTIFICATE, CERTIFICATE_KEY, client_identity},
    place::NamedFiles,
};
use crate::{secret::Secret, target::Origin};

/// The keys that are not service constants.
const KEYS: [&str; 10] = [
    "base_url",
    "origins",
    "api_token",
    "api_keys",
    "username",
    "password",
    "verify_ssl",
    "oauth",
    CERTIFICATE,
    CERTIFICATE_KEY,
];

/// Reads an auth file into the access. Reports every problem of the file.
pub(super) fn read(
    text: &str,
    files: NamedFiles<'_>,
    access: &mut Access,
) -> Result<(), Vec<String>> {
    let mut fields = parse(text).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let mut report = |key: &str, problem: String| problems.push(format!("`{key}` {problem}"));
    let [certificate, certificate_key] = [CERTIFICATE, CERTIFICATE_KEY].map(|key| {
        let text = fields.remove(key).map(take_text).transpose();
        text.unwrap_or_else(|problem| {
            report(key, problem);
            None
        })
    });
    let oauth = fields.remove("oauth");
    for (key, value) in fields {
        let taken = match key.as_str() {
            "base_url" => take_text(value).map(|text| access.base_url = Some(text)),
            "origins" => take_origins(value, access),
            "api_token" => take_secret(value).map(|token| access.token = Some(token)),
            "username" => take_text(value).map(|name| access.username = Some(name)),
            "password" => take_text(value).map(|text| access.password = Some(Secret::new(text))),
            "api_keys" => take_keys(value, access),
            "verify_ssl" => take_bool(&value).map(|verify| access.verify_tls = verify),
            _ => take_constant(key.clone(), value, access),
        };
        if let Err(problem) = taken {
            report(&key, problem);
        }
    }
    if let Some(oauth) = oauth {
        match OauthClient::read(oauth, files) {
            Ok(_) if access.token.is_some() => {
                report(
                    "oauth",
                    "is next to `api_token`; keep one of them".to_owned(),
                );
            }
            Ok(client) => access.oauth = Some(client),
            Err(found) => found
                .into_iter()
                .for_each(|problem| report("oauth", problem)),
        }
    }
    match client_identity(certificate, certificate_key, files) {
        Ok(identity) => access.identity = identity,
        Err(found) => problems.extend(found),
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// A token as a header can carry it.
pub(crate) fn check_token(text: &str) -> Result<Secret, String> {
    if text.is_empty() {
        return Err("is empty".to_owned());
    }
    if text.chars().any(|c| c.is_control() || !c.is_ascii()) {
        return Err("contains a character that tokens cannot contain".to_owned());
    }
    Ok(Secret::new(text.to_owned()))
}

fn parse(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("is not a JSON object".to_owned()),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            Err(format!("is not JSON at line {line}, column {column}"))
        }
    }
}

fn take_text(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) if !text.is_empty() => Ok(text),
        _ => Err("is not a string".to_owned()),
    }
}

fn take_secret(value: Value) -> Result<Secret, String> {
    let text = Secret::new(take_text(value)?);
    check_token(text.expose().trim())
}

fn take_bool(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "is not a boolean".to_owned())
}

fn take_origins(value: Value, access: &mut Access) -> Result<(), String> {
    let Value::Array(items) = value else {
        return Err("is not a list of origins".to_owned());
    };
    for item in items {
        let origin = take_text(item)?.parse::<Origin>();
        access.origins.push(origin.map_err(|_| {
            "has an item that is not an origin, such as `https://plane.example`".to_owned()
        })?);
    }
    Ok(())
}

/// The key that a key was probably meant to be. Case and separators are ignored.
fn slip_of(key: &str) -> Option<&'static str> {
    let spelt = key.to_ascii_lowercase().replace(['-', ' ', '.'], "_");
    most_similar(&spelt, KEYS)
}

fn take_keys(value: Value, access: &mut Access) -> Result<(), String> {
    let Value::Object(keys) = value else {
        return Err("is not an object from scheme names to keys".to_owned());
    };
    for (scheme, key) in keys {
        let key = take_secret(key).map_err(|problem| format!("at `{scheme}` {problem}"))?;
        access.api_keys.insert(scheme, key);
    }
    Ok(())
}

fn take_constant(key: String, value: Value, access: &mut Access) -> Result<(), String> {
    if value.is_null() {
        return Err("is null; remove the key if there is no such constant".to_owned());
    }
    if let Some(similar) = slip_of(&key) {
        return Err(format!(
            "is neither a known key nor a valid service constant, since it is too similar to `{similar}`; correct it"
        ));
    }
    access.constants.insert(key, value);
    Ok(())
}

//! `[databases.*]`: PostgreSQL databases whose statements are tools.

use std::collections::BTreeMap;

use reqwest::Url;
use toolwright_model::{
    ServiceName,
    settings::{Node as _, Reader as _},
};

use super::{
    Placed,
    reader::{ConfigReader, TomlNode},
};

/// The keys of a database's table.
pub(super) const DATABASE_KEYS: [&str; 1] = ["url"];

/// `[databases.*]`: one database.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DatabaseConfig {
    /// `url`: its address, without a user or a password.
    pub url: String,
}

/// Reads `[databases.*]`.
pub(super) fn read(
    document: TomlNode<'_>,
    reader: &mut ConfigReader,
) -> BTreeMap<ServiceName, Placed<DatabaseConfig>> {
    let databases = reader.tables(document, "databases", |reader, table| {
        DatabaseConfig::read(table, reader)
    });
    let databases = databases.into_iter();
    let read = databases.filter_map(|(name, database): (Placed<ServiceName>, _)| {
        let place = name.place;
        let value = database?;
        Some((name.value, Placed { value, place }))
    });
    read.collect()
}

impl DatabaseConfig {
    fn read(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<Self> {
        reader.check_keys(table, &DATABASE_KEYS);
        let help = "add `url = \"postgres://…\"`, the address of the database";
        if table.value_of("url").is_none() {
            reader.require(table, "url", help);
            return None;
        }
        let url = reader.placed_text(table, "url")?;
        match check(&url.value) {
            Ok(()) => Some(Self { url: url.value }),
            Err(message) => {
                let help = "write an address such as `postgres://db.example/stock`; the user and the password are \
                            credentials, as docs/credentials.md describes";
                reader.problem(url.place, message, help);
                None
            }
        }
    }
}

/// Checks a URL. Its error does not repeat the URL, which may contain a password.
fn check(url: &str) -> Result<(), &'static str> {
    let parsed = Url::parse(url).ok();
    let parsed = parsed.filter(|url| matches!(url.scheme(), "postgres" | "postgresql"));
    let Some(url) = parsed else {
        return Err("the URL of the database is not a URL of PostgreSQL");
    };
    let names_account = |key: &str| matches!(key, "user" | "password");
    let mut options = url.query_pairs();
    if !url.username().is_empty()
        || url.password().is_some()
        || options.any(|(key, _)| names_account(&key))
    {
        return Err("the URL of the database contains a user or a password");
    }
    if url.path().trim_matches('/').is_empty() {
        return Err("the URL of the database names no database");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_belongs_to_the_credentials() {
        for url in [
            "postgres://db.example/stock",
            "postgresql://db.example:5433/stock?sslmode=require",
            "postgres:///stock?host=/run/postgresql",
            "postgres://%2Frun%2Fpostgresql/stock",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        for (url, expected) in [
            ("postgres://ann@db.example/stock", "a user or a password"),
            ("postgres://ann:pw@db.example/stock", "a user or a password"),
            (
                "postgres://db.example/stock?password=pw",
                "a user or a password",
            ),
            (
                "postgres://db.example/stock?user=ann",
                "a user or a password",
            ),
            ("postgres://db.example/", "names no database"),
            ("mysql://db.example/stock", "is not a URL of PostgreSQL"),
            ("host=db.example", "is not a URL of PostgreSQL"),
        ] {
            let message = check(url).unwrap_err();
            assert!(message.contains(expected), "{url}: {message}");
        }
    }
}

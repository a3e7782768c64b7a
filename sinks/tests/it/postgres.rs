//! A table of PostgreSQL.
#![cfg(test)]

use toolwright_state::{Location, PostgresConnector, testing::TestPlace};

use crate::support::{Place, Wire, goes_away_and_returns, is_killed_and_resumes};

/// The page with the statements that create the table and its writer.
const PAGE: &str = include_str!("../../../docs/audit.md");

/// The database of a test, and the name of its writer.
struct Database {
    test: TestPlace,
    url: String,
    writer: String,
}

impl Database {
    /// A database with the table. None, with a message, if there is no PostgreSQL.
    async fn new(writer: &str) -> Option<Self> {
        let test = TestPlace::postgres().await?;
        let Location::Postgres { url, .. } = &test.location else {
            return None;
        };
        let url = url.clone();
        let writer = format!("toolwright_audit_{writer}_{}", std::process::id());
        let (_, setup) = PAGE.split_once("```sql\n").unwrap();
        let (setup, _) = setup.split_once("```").unwrap();
        let setup = setup
            .replace("ROLE toolwright_audit", &format!("ROLE {writer}"))
            .replace("TO toolwright_audit;", &format!("TO {writer};"));
        test.tamper(&setup).await;
        Some(Self { test, url, writer })
    }

    /// Returns the table of a configuration, with the URL of the writer.
    fn table(&self, port: u16) -> String {
        let (_, place) = self.url.rsplit_once('@').unwrap();
        let (_, name) = place.rsplit_once('/').unwrap();
        let writer = &self.writer;
        format!(
            "[audit.postgres]\nurl = \"postgres://{writer}@127.0.0.1:{port}/{name}\"\nmost_waiting = 40\n"
        )
    }

    async fn lines(&self) -> Vec<String> {
        let connector = PostgresConnector::new(&self.url, None).unwrap();
        let client = connector.connect().await.unwrap();
        let select = "SELECT line FROM toolwright_audit.event ORDER BY instance, seq";
        let rows = client.query(select, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    async fn end(self) {
        let drop = format!("DROP OWNED BY {0}; DROP ROLE {0}", self.writer);
        self.test.tamper(&drop).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_goes_away_misses_nothing() {
    let Some(database) = Database::new("away").await else {
        return;
    };
    let wire = Wire::to("127.0.0.1:5432").await;
    let place = Place::new(&database.table(wire.port));
    let written = goes_away_and_returns(&place, &wire).await;
    assert_eq!(written.len(), 115);
    assert_eq!(database.lines().await, written);
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_resumes_at_its_cursor() {
    let Some(database) = Database::new("killed").await else {
        return;
    };
    let place = Place::new(&database.table(5432));
    let written = is_killed_and_resumes(&place).await;
    assert_eq!(database.lines().await, written);
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_writer_can_insert_and_read_and_nothing_else() {
    let Some(database) = Database::new("rights").await else {
        return;
    };
    let place = Place::new(&database.table(5432));
    place.record(&place.audit.open(), 3);
    for mut forwarder in toolwright_sinks::forwarders(&place.audit).unwrap() {
        assert_eq!(forwarder.drain().await, Ok(Some(3)));
        assert_eq!(forwarder.drain().await, Ok(Some(0)));
    }
    let url = &place.audit.sinks[0].url.value;
    let client = PostgresConnector::new(url, None).unwrap();
    let client = client.connect().await.unwrap();
    for refused in [
        "UPDATE toolwright_audit.event SET line = 'x'",
        "DELETE FROM toolwright_audit.event",
        "TRUNCATE toolwright_audit.event",
        "DROP TABLE toolwright_audit.event",
        "ALTER TABLE toolwright_audit.event DISABLE TRIGGER ALL",
        "INSERT INTO toolwright_audit.event VALUES ('x', 9, 'x', 'x', '1970-01-01')",
        "INSERT INTO toolwright_audit.event (instance, seq, hash, line) SELECT instance, seq, 'x', 'x' \
         FROM toolwright_audit.event ON CONFLICT (instance, seq) DO UPDATE SET line = 'x'",
    ] {
        let error = client.batch_execute(refused).await.unwrap_err();
        let code = error.code().map(tokio_postgres::error::SqlState::code);
        assert_eq!(code, Some("42501"), "{refused}: {error}");
    }
    assert_eq!(database.lines().await, place.lines());
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_audit_of_the_same_name_is_not_mixed_in() {
    let Some(database) = Database::new("mixed").await else {
        return;
    };
    let table = database.table(5432);
    let places = [1, 2].map(|_| Place::new(&format!("instance = \"same\"\n{table}")));
    let mut results = Vec::new();
    for place in &places {
        place.record(&place.audit.open(), 2);
        for mut forwarder in toolwright_sinks::forwarders(&place.audit).unwrap() {
            results.push(forwarder.drain().await);
        }
    }
    assert_eq!(results[0], Ok(Some(2)));
    let error = results[1].as_ref().unwrap_err().to_string();
    assert!(
        error.contains("another event 1 of the instance `same`"),
        "{error}"
    );
    assert_eq!(database.lines().await, places[0].lines());
    database.end().await;
}

//! The tasks, and the documents of their services.

/// The services, with the files of their documents.
pub(crate) const SERVICES: [(&str, &str); 5] = [
    ("netbox", "openapi.yaml"),
    ("outline", "spec3.yml"),
    ("plane", "openapi.json"),
    ("nomad", "openapi.yaml"),
    ("inventree", "api.yaml"),
];

/// A task as an agent would state it.
pub(crate) struct Task {
    pub(crate) set: Set,
    pub(crate) service: String,
    pub(crate) text: String,
    /// The names of the tools of which each is right.
    pub(crate) right: Vec<String>,
}

/// A part of the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// The search was tuned with them.
    Tune,
    /// They were written by another author, without knowledge of the search.
    Held,
}

/// Reads the tasks.
pub(crate) fn tasks() -> Vec<Task> {
    let rows = include_str!("phrases.tsv").lines();
    let rows = rows.filter(|row| !row.starts_with('#'));
    rows.map(|row| {
        let columns: Vec<&str> = row.split('\t').collect();
        let [set, service, text, right] = columns.as_slice() else {
            panic!("a row has four columns: {row}");
        };
        Task {
            set: match *set {
                "tune" => Set::Tune,
                "held" => Set::Held,
                other => panic!("{other} is no set"),
            },
            service: (*service).to_owned(),
            text: (*text).to_owned(),
            right: right.split(' ').map(str::to_owned).collect(),
        }
    })
    .collect()
}

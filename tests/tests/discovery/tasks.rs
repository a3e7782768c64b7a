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
    First,
    /// They were written by other authors. The search was tuned with them later.
    Third,
    /// They were written by another author, without knowledge of the search.
    Held,
    /// They were written without knowledge of the search, for tools chosen by lot.
    Fresh,
}

impl Set {
    pub(crate) const ALL: [Self; 4] = [Self::First, Self::Third, Self::Held, Self::Fresh];

    /// Checks whether the search may be tuned with the tasks.
    pub(crate) fn is_for_tuning(self) -> bool {
        matches!(self, Self::First | Self::Third)
    }
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
                "first" => Set::First,
                "third" => Set::Third,
                "held" => Set::Held,
                "fresh" => Set::Fresh,
                other => panic!("{other} is no set"),
            },
            service: (*service).to_owned(),
            text: (*text).to_owned(),
            right: right.split(' ').map(str::to_owned).collect(),
        }
    })
    .collect()
}

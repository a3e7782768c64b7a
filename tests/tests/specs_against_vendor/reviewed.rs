//! The differences that are there on purpose, each with its reason.

use crate::compare::{Difference, Kind};

/// Differences of one kind, for one reason.
#[derive(Debug)]
pub(crate) struct Reviewed {
    pub(crate) service: &'static str,
    pub(crate) kind: Kind,
    /// The places, as the comparison names them.
    pub(crate) places: &'static [&'static str],
    pub(crate) reason: &'static str,
}

/// All of them. One that is not found any more has to go.
pub(crate) const REVIEWED: &[Reviewed] = &[
    Reviewed {
        service: "plane",
        kind: Kind::Extra,
        places: &["Task.assignees", "Task.labels"],
        reason: "the server gives both lists, as the vendor's own examples show; its schema has \
                 them in requests only",
    },
    Reviewed {
        service: "plane",
        kind: Kind::Extra,
        places: &["TaskMatches.issues"],
        reason: "the server gives an object with the list of what it found, as the vendor's own \
                 example shows; its schema has one entry of that list",
    },
    Reviewed {
        service: "plane",
        kind: Kind::Values,
        places: &["Project.timezone"],
        reason: "the names of time zones change with the time zone database",
    },
    Reviewed {
        service: "outline",
        kind: Kind::Type,
        places: &[
            "Limit",
            "Offset",
            "Document.revision",
            "Error.status",
            "RateLimit.status",
        ],
        reason: "these are counts and codes: the server knows whole numbers only",
    },
    Reviewed {
        service: "nomad",
        kind: Kind::Nullable,
        places: &[
            "Allocation.Job",
            "Allocation.TaskStates",
            "Allocation.TaskStates{}",
            "AllocationStub.TaskStates",
            "AllocationStub.TaskStates{}",
            "Evaluation.FailedTGAllocs",
            "Evaluation.FailedTGAllocs{}",
            "Evaluation.QueuedAllocations",
            "Job.Constraints",
            "Job.Datacenters",
            "Job.Meta",
            "Job.ParameterizedJob",
            "Job.Periodic",
            "Job.TaskGroups",
            "JobStub.Datacenters",
            "JobSummary.Children",
            "JobSummary.Summary",
            "Node.Attributes",
            "Node.Drivers",
            "Node.Drivers{}",
            "Node.Events",
            "Node.Events[]",
            "Node.Meta",
            "NodeEvent.Details",
            "NodeStub.Drivers",
            "NodeStub.Drivers{}",
            "ParameterizedJob.MetaOptional",
            "ParameterizedJob.MetaRequired",
            "Placement.ConstraintFiltered",
            "Placement.DimensionExhausted",
            "Placement.NodesAvailable",
            "Task.Resources",
            "TaskEvent.Details",
            "TaskGroup.Constraints",
            "TaskGroup.Meta",
            "TaskGroup.Tasks",
            "TaskState.Events",
        ],
        reason: "the server writes a Go slice, map or pointer that is not set as null",
    },
];

impl Reviewed {
    fn covers(&self, place: &str, difference: &Difference) -> bool {
        difference.kind == self.kind && difference.place == place
    }

    /// The places at which no such difference was found.
    pub(crate) fn unused(&self, found: &[Difference]) -> Vec<String> {
        let gone = |place: &&&str| {
            !found
                .iter()
                .any(|difference| self.covers(place, difference))
        };
        let places = self.places.iter().filter(gone);
        places
            .map(|place| format!("{}: {place} [{:?}]", self.service, self.kind))
            .collect()
    }
}

/// The differences that nobody has reviewed.
pub(crate) fn unreviewed<'f>(
    reviewed: &[Reviewed],
    found: &'f [(&'f str, Difference)],
) -> Vec<&'f (&'f str, Difference)> {
    let known = |(service, difference): &(&str, Difference)| {
        let mut entries = reviewed.iter().filter(|entry| entry.service == *service);
        entries.any(|entry| {
            entry
                .places
                .iter()
                .any(|place| entry.covers(place, difference))
        })
    };
    found.iter().filter(|one| !known(one)).collect()
}

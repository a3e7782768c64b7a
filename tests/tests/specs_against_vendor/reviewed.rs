//! The deliberate differences, each with its reason.

use crate::compare::{Difference, Kind};

/// Differences of one kind with one reason.
#[derive(Debug)]
pub(crate) struct Reviewed {
    pub(crate) service: &'static str,
    pub(crate) kind: Kind,
    /// The places, in the comparison's notation.
    pub(crate) places: &'static [&'static str],
    pub(crate) reason: &'static str,
}

/// All reviewed differences. Remove an entry when its difference no longer exists.
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
    Reviewed {
        service: "dify",
        kind: Kind::Lacking,
        places: &["WorkflowStart.inputs{}"],
        reason: "the workflow itself says which inputs it takes; the vendor's choice of five types \
                 has nearly all JSON in it and tells an agent less",
    },
    Reviewed {
        service: "keycloak",
        kind: Kind::Extra,
        places: &[r#"security ["http",null,null,"bearer"]"#],
        reason: "the vendor's document is silent about it; its guide says that every request needs \
                 an access token as a bearer token",
    },
    Reviewed {
        service: "netbox",
        kind: Kind::Type,
        places: NETBOX_LINKS,
        reason: NETBOX_LINKS_REASON,
    },
    Reviewed {
        service: "netbox",
        kind: Kind::Lacking,
        places: NETBOX_LINKS,
        reason: NETBOX_LINKS_REASON,
    },
    Reviewed {
        service: "netbox",
        kind: Kind::Lacking,
        places: &["NextAddress"],
        reason: "the server chooses the address; the vendor's document reuses the schema of an \
                 address that the caller chooses",
    },
    Reviewed {
        service: "netbox",
        kind: Kind::Values,
        places: &["Interface.type.value"],
        reason: "each version of the server knows more types of interfaces",
    },
    Reviewed {
        service: "portainer",
        kind: Kind::Extra,
        places: &[
            "GET /docker/{environment_id}/images security",
            "GET /stacks/{stack_id}/images_status security",
            "POST /docker/{environment_id}/dashboard security",
        ],
        reason: "the server takes an API key wherever it takes a session; the vendor's annotations \
                 of these three operations forget it",
    },
    Reviewed {
        service: "woodpecker",
        kind: Kind::Type,
        places: WOODPECKER_BYTES,
        reason: WOODPECKER_BYTES_REASON,
    },
    Reviewed {
        service: "woodpecker",
        kind: Kind::Format,
        places: WOODPECKER_BYTES,
        reason: WOODPECKER_BYTES_REASON,
    },
    Reviewed {
        service: "woodpecker",
        kind: Kind::Lacking,
        places: &["ConfigFile.data[]", "LogLine.data[]"],
        reason: WOODPECKER_BYTES_REASON,
    },
];

/// Fields for which NetBox's document has the attributes of a linked object, and ours its id.
const NETBOX_LINKS: &[&str] = &[
    "AddressChange.tenant",
    "AddressChange.vrf",
    "DeviceChange.cluster",
    "DeviceChange.device_type",
    "DeviceChange.location",
    "DeviceChange.platform",
    "DeviceChange.primary_ip4",
    "DeviceChange.primary_ip6",
    "DeviceChange.rack",
    "DeviceChange.role",
    "DeviceChange.site",
    "DeviceChange.tenant",
    "NewAddress.tenant",
    "NewAddress.vrf",
    "NewDevice.cluster",
    "NewDevice.device_type",
    "NewDevice.location",
    "NewDevice.platform",
    "NewDevice.rack",
    "NewDevice.role",
    "NewDevice.site",
    "NewDevice.tenant",
    "NextAddress.tenant",
];

const NETBOX_LINKS_REASON: &str = "the server takes the id of what is meant in the place of its \
                                   attributes, and an id is what an agent has; the vendor's later \
                                   documents have both";

const WOODPECKER_BYTES: &[&str] = &["ConfigFile.data", "LogLine.data"];

const WOODPECKER_BYTES_REASON: &str = "the server writes a Go byte slice as base64 text; the \
                                       vendor's document was made from the Go type";

impl Reviewed {
    fn covers(&self, place: &str, difference: &Difference) -> bool {
        difference.kind == self.kind && difference.place == place
    }

    /// Returns the places without such a difference.
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

/// Returns the unreviewed differences of a service.
pub(crate) fn unreviewed<'f>(
    reviewed: &[Reviewed],
    service: &str,
    found: &'f [Difference],
) -> Vec<&'f Difference> {
    let known = |difference: &Difference| {
        let mut entries = reviewed.iter().filter(|entry| entry.service == service);
        entries.any(|entry| {
            entry
                .places
                .iter()
                .any(|place| entry.covers(place, difference))
        })
    };
    found.iter().filter(|one| !known(one)).collect()
}

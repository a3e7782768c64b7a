//! The features that this machine supports.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Confinement, Layer, Network};

/// The ABI of Landlock that covers links between folders and truncation.
const LANDLOCK_FILES: u32 = 3;
/// The ABI of Landlock that covers TCP ports.
const LANDLOCK_PORTS: u32 = 4;
/// The ABI of Landlock that covers signals and abstract sockets.
const LANDLOCK_SCOPES: u32 = 6;

/// The features that this machine supports for this user, found by trying each of them in a child.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Support {
    /// The release of the kernel.
    pub kernel: String,
    /// The ABI of Landlock; 0 if there is none.
    pub landlock: u32,
    /// Filters of system calls.
    pub seccomp: bool,
    /// A namespace of users, in which the user has no more rights than outside.
    pub user: bool,
    /// A namespace of mounts.
    pub mount: bool,
    /// A namespace of processes.
    pub pid: bool,
    /// A namespace of networks.
    pub network: bool,
    /// A namespace of inter-process communication.
    pub ipc: bool,
    /// A `/proc` that shows the processes of the namespace alone.
    pub proc: bool,
    /// A folder in memory for temporary files.
    pub scratch: bool,
    /// Control groups that this user may create. The sandbox does not need them.
    pub cgroups: bool,
}

/// A feature of the machine, for display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Feature {
    /// The name.
    pub name: &'static str,
    /// True if the machine has it.
    pub supported: bool,
    /// The version or extent, or what the sandbox does without it.
    pub detail: String,
    /// The step that provides it, if the machine does not have it.
    pub help: Option<&'static str>,
}

impl Support {
    /// Checks whether the machine supports a layer for a confinement with this network.
    #[must_use]
    pub fn has(&self, layer: Layer, network: &Network) -> bool {
        match layer {
            Layer::Files => self.landlock >= LANDLOCK_FILES,
            Layer::Network => match network {
                Network::None => self.seccomp,
                Network::Ports(_) => self.seccomp && self.landlock >= LANDLOCK_PORTS,
            },
            Layer::Processes => self.pid && self.proc,
            Layer::SystemCalls => self.seccomp,
            // One that this version does not know.
            _ => false,
        }
    }

    /// Returns the layers that a confinement requires and the machine does not support.
    #[must_use]
    pub fn missing(&self, confinement: &Confinement) -> Vec<Layer> {
        let required = confinement.required.iter().copied();
        required
            .filter(|layer| !self.has(*layer, &confinement.network))
            .collect()
    }

    /// Returns the layers that the machine does not support for a confinement with this network.
    #[must_use]
    pub fn lacking(&self, network: &Network) -> BTreeSet<Layer> {
        let layers = Layer::ALL.into_iter();
        layers.filter(|layer| !self.has(*layer, network)).collect()
    }

    /// Returns all features, with the steps that provide missing ones.
    #[must_use]
    pub fn features(&self) -> Vec<Feature> {
        let landlock = match self.landlock {
            0 => "none".to_owned(),
            abi if abi < LANDLOCK_FILES => format!("ABI {abi}, too old: 3 is required"),
            abi if abi < LANDLOCK_PORTS => format!("ABI {abi}: files, but no TCP ports"),
            abi if abi < LANDLOCK_SCOPES => format!("ABI {abi}: files and TCP ports"),
            abi => format!("ABI {abi}: files, TCP ports, signals and abstract sockets"),
        };
        let landlock = feature(
            "landlock",
            self.landlock >= LANDLOCK_FILES,
            &landlock,
            "use a kernel of at least 6.2 with `landlock` in its `lsm=` parameter",
        );
        let namespace = "permit user namespaces: set `user.max_user_namespaces` above 0, and `kernel.apparmor_restrict_unprivileged_userns` to 0; in a container, allow `unshare` and `mount`";
        vec![
            landlock,
            feature(
                "seccomp",
                self.seccomp,
                "filters of system calls",
                "use a kernel with `CONFIG_SECCOMP_FILTER`",
            ),
            feature("user namespace", self.user, "no rights outside", namespace),
            feature(
                "mount namespace",
                self.mount,
                "own mounts, read-only but for the files in scope",
                namespace,
            ),
            feature("pid namespace", self.pid, "ends all processes", namespace),
            feature("network namespace", self.network, "no network", namespace),
            feature("ipc namespace", self.ipc, "no shared memory", namespace),
            feature(
                "own /proc",
                self.proc,
                "shows no other process",
                "in a container, do not mask parts of `/proc`",
            ),
            feature(
                "temporary files",
                self.scratch,
                "a folder in memory, with a limit",
                namespace,
            ),
            feature(
                "cgroups",
                self.cgroups,
                "not needed: limits of a run are checked by the process that watches it",
                "nothing to do: the sandbox does not need them",
            ),
        ]
    }
}

fn feature(name: &'static str, supported: bool, detail: &str, help: &'static str) -> Feature {
    Feature {
        name,
        supported,
        detail: detail.to_owned(),
        help: (!supported).then_some(help),
    }
}

//! The files and ports that the kernel permits: Landlock.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::system_calls::Calls;
use crate::{Confinement, Layer, Network, SCRATCH, Support};

/// The newest ABI whose rights are known here. An older kernel applies those that it knows.
const NEWEST: ABI = ABI::V10;

/// Devices that every program may use.
const DEVICES: [&str; 5] = [
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];

/// Restricts this process and its children to the files and ports of a confinement.
pub(super) fn restrict(
    confinement: &Confinement,
    support: &Support,
    calls: Calls,
) -> Result<(), String> {
    let rules = rules(confinement, support, calls)?;
    let status = rules.restrict_self().map_err(describe)?;
    let is_required = confinement.required.contains(&Layer::Files);
    if status.ruleset == RulesetStatus::NotEnforced && is_required {
        return Err("the kernel does not restrict files".to_owned());
    }
    Ok(())
}

fn rules(
    confinement: &Confinement,
    support: &Support,
    calls: Calls,
) -> Result<RulesetCreated, String> {
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(NEWEST)))
        .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
        .and_then(Ruleset::create);
    let mut rules = rules.map_err(describe)?;
    let files = &confinement.files;
    for path in &files.read {
        rules = allow(rules, path, reading())?;
    }
    for path in &files.execute {
        rules = allow(rules, path, reading() | AccessFs::Execute)?;
    }
    for path in &files.write {
        rules = allow(rules, path, writing())?;
    }
    for path in files.system_files() {
        rules = allow(rules, path, reading())?;
    }
    for path in files.system_programs() {
        rules = allow(rules, path, reading() | AccessFs::Execute)?;
    }
    if calls == Calls::Programs {
        rules = allow_surroundings(rules, confinement, support)?;
    }
    if let Network::Ports(ports) = &confinement.network {
        for port in ports {
            let rule = NetPort::new(*port, AccessNet::ConnectTcp);
            rules = rules.add_rule(rule).map_err(describe)?;
        }
    }
    Ok(rules)
}

/// Allows what every program expects: some devices, its own `/proc`, its temporary files.
fn allow_surroundings(
    mut rules: RulesetCreated,
    confinement: &Confinement,
    support: &Support,
) -> Result<RulesetCreated, String> {
    let use_device = AccessFs::ReadFile | AccessFs::WriteFile;
    for device in DEVICES.map(Path::new) {
        if device.exists() {
            rules = allow(rules, device, use_device)?;
        }
    }
    if confinement.files.own_program {
        let access = reading() | AccessFs::Execute;
        rules = allow(rules, Path::new("/proc/self/exe"), access)?;
    }
    if support.proc {
        // Without a `/proc` of its own, it would see the processes of the machine.
        rules = allow(rules, Path::new("/proc"), reading())?;
    }
    if support.scratch && confinement.limits.scratch > 0 {
        let all = writing() | AccessFs::Execute | AccessFs::MakeFifo;
        rules = allow(rules, Path::new(SCRATCH), all)?;
    }
    Ok(rules)
}

fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, String> {
    let describe = |error| format!("the path `{}`: {error}", path.display());
    let file = PathFd::new(path).map_err(|error| describe(error.to_string()))?;
    let access = if path.is_dir() {
        access
    } else {
        access & AccessFs::from_file(NEWEST)
    };
    let rule = PathBeneath::new(file, access);
    (rules.add_rule(rule)).map_err(|error| describe(error.to_string()))
}

fn reading() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::ReadDir
}

/// Returns the rights to read and change files, but not to create devices, pipes or sockets.
fn writing() -> BitFlags<AccessFs> {
    reading()
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::MakeSym
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer
}

fn describe(error: impl ToString) -> String {
    format!("Landlock: {}", error.to_string())
}

//! The system calls that the kernel permits: seccomp.
//!
//! All calls outside of a list fail. Newer ones than the list knows fail like on a kernel that does not
//! have them, and programs fall back to others.

mod list;

use std::{collections::BTreeMap, env::consts::ARCH, process};

use seccompiler::{
    BackendError, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use crate::{Confinement, Layer, Network, Support};

/// The rules for the arguments of each permitted call; none if all are permitted.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The flags of `clone` that create namespaces.
const NAMESPACES: u64 = 0x7e02_0080;
/// The flags of a socket's type.
const SOCKET_FLAGS: u64 = (libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) as u64;
/// The flag that connects without `connect`, which Landlock does not see on all kernels.
const FAST_OPEN: u64 = libc::MSG_FASTOPEN as u64;
/// Requests that type into a terminal or change it for others: `TIOCSTI`, `TIOCLINUX`, `TIOCCONS`,
/// `TIOCSETD`. The types of their constants differ between C libraries.
const TERMINAL: [u64; 4] = [0x5412, 0x541c, 0x541d, 0x5423];
/// The options of `prctl` that are permitted.
const OPTIONS: [libc::c_int; 11] = [
    libc::PR_CAPBSET_READ,
    libc::PR_GET_DUMPABLE,
    libc::PR_GET_NAME,
    libc::PR_GET_NO_NEW_PRIVS,
    libc::PR_GET_PDEATHSIG,
    libc::PR_SET_CHILD_SUBREAPER,
    libc::PR_SET_DUMPABLE,
    libc::PR_SET_NAME,
    libc::PR_SET_NO_NEW_PRIVS,
    libc::PR_SET_PDEATHSIG,
    libc::PR_SET_VMA,
];
/// The first number that all architectures share, and one above all of the newest known kernel.
const SHARED_NUMBERS: std::ops::Range<i64> = 424..480;

/// The calls that a child needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calls {
    /// Those of a job: it starts no process and no thread.
    Job,
    /// Those of programs that start others.
    Programs,
}

/// Restricts this process and its children to the calls of a confinement.
pub(super) fn restrict(
    confinement: &Confinement,
    support: &Support,
    calls: Calls,
) -> Result<(), String> {
    let applied = apply(&confinement.network, support, calls);
    match applied {
        Err(_) if !confinement.required.contains(&Layer::SystemCalls) => Ok(()),
        applied => applied.map_err(|error| format!("seccomp: {error}")),
    }
}

/// Checks whether the kernel filters calls, by restricting this process.
pub(super) fn is_supported() -> bool {
    apply(&Network::None, &Support::default(), Calls::Programs).is_ok()
}

fn apply(network: &Network, support: &Support, calls: Calls) -> Result<(), String> {
    let architecture = TargetArch::try_from(ARCH).map_err(|error| error.to_string())?;
    let mut permitted = permitted(network, calls).map_err(|error| error.to_string())?;
    if support.mount {
        // Read-only mounts restrict them to the paths that may be written. Landlock does not.
        let attributes = list::ATTRIBUTES.iter().chain(list::OLD_ATTRIBUTES);
        permitted.extend(attributes.map(|number| (*number, Vec::new())));
    }
    let unknown = unknown(&permitted);
    // The second filter permits unknown calls: the kernel returns its error before the first one's, and
    // the second one also forbids further filters.
    permitted.extend(unknown.clone());
    let filters = [
        (
            unknown,
            SeccompAction::Allow,
            SeccompAction::Errno(unsigned(libc::ENOSYS)),
        ),
        (
            permitted,
            SeccompAction::Errno(unsigned(libc::EPERM)),
            SeccompAction::Allow,
        ),
    ];
    let mut programs = Vec::new();
    for (rules, otherwise, matched) in filters {
        let filter = SeccompFilter::new(rules, otherwise, matched, architecture);
        let program = filter.and_then(seccompiler::BpfProgram::try_from);
        programs.push(program.map_err(|error| error.to_string())?);
    }
    for program in &programs {
        seccompiler::apply_filter(program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn unsigned(number: libc::c_int) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

/// Returns the permitted calls.
fn permitted(network: &Network, calls: Calls) -> Result<Rules, BackendError> {
    let mut rules = Rules::new();
    for number in list::COMMON.iter().chain(list::OLD) {
        rules.insert(*number, Vec::new());
    }
    if calls == Calls::Programs {
        let more = list::PROGRAMS.iter().chain(list::OLD_PROGRAMS);
        rules.extend(more.map(|number| (*number, Vec::new())));
        let no_namespace = condition(0, SeccompCmpOp::MaskedEq(NAMESPACES), 0)?;
        rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![no_namespace])?]);
    } else {
        // The files that its caller hands over; it has no other socket.
        rules.insert(libc::SYS_recvmsg, Vec::new());
        let own = u64::from(process::id());
        for number in [libc::SYS_kill, libc::SYS_tgkill] {
            let to_itself = condition(0, SeccompCmpOp::Eq, own)?;
            rules.insert(number, vec![SeccompRule::new(vec![to_itself])?]);
        }
    }
    let mut no_terminal = Vec::new();
    for request in TERMINAL {
        no_terminal.push(condition(1, SeccompCmpOp::Ne, request)?);
    }
    rules.insert(libc::SYS_ioctl, vec![SeccompRule::new(no_terminal)?]);
    let mut options = Vec::new();
    for option in OPTIONS {
        let option = u64::from(unsigned(option));
        options.push(SeccompRule::new(vec![condition(
            0,
            SeccompCmpOp::Eq,
            option,
        )?])?);
    }
    rules.insert(libc::SYS_prctl, options);
    // Limits of this process alone; the kernel does not raise them.
    let itself = SeccompRule::new(vec![condition(0, SeccompCmpOp::Eq, 0)?])?;
    rules.insert(libc::SYS_prlimit64, vec![itself]);
    // The current personality may be asked for.
    let ask = SeccompRule::new(vec![condition(0, SeccompCmpOp::Eq, 0xffff_ffff)?])?;
    rules.insert(libc::SYS_personality, vec![ask]);
    for (number, argument) in [
        (libc::SYS_sendto, 3),
        (libc::SYS_sendmsg, 2),
        (libc::SYS_sendmmsg, 3),
    ] {
        let no_fast_open = condition(argument, SeccompCmpOp::MaskedEq(FAST_OPEN), 0)?;
        rules.insert(number, vec![SeccompRule::new(vec![no_fast_open])?]);
    }
    for (number, argument) in list::MAKE_NODE {
        // A named pipe: `make` counts its jobs with one. Landlock decides about the folder.
        let pipe = SeccompCmpOp::MaskedEq(u64::from(libc::S_IFMT));
        let pipe = condition(*argument, pipe, u64::from(libc::S_IFIFO))?;
        rules.insert(*number, vec![SeccompRule::new(vec![pipe])?]);
    }
    let sockets = sockets(network)?;
    if !sockets.is_empty() {
        rules.insert(libc::SYS_socket, sockets);
    }
    Ok(rules)
}

/// Returns the sockets that may be created: TCP alone, and not its variant with several paths, which
/// Landlock does not restrict.
fn sockets(network: &Network) -> Result<Vec<SeccompRule>, BackendError> {
    let mut rules = Vec::new();
    if *network == Network::None {
        return Ok(rules);
    }
    let stream = u64::from(unsigned(libc::SOCK_STREAM));
    for family in [libc::AF_INET, libc::AF_INET6] {
        for protocol in [0, libc::IPPROTO_TCP] {
            rules.push(SeccompRule::new(vec![
                condition(0, SeccompCmpOp::Eq, u64::from(unsigned(family)))?,
                condition(1, SeccompCmpOp::MaskedEq(!SOCKET_FLAGS), stream)?,
                condition(2, SeccompCmpOp::Eq, u64::from(unsigned(protocol)))?,
            ])?);
        }
    }
    Ok(rules)
}

/// Returns the calls that fail as unknown: newer ones, and `clone3`, whose flags no filter can read.
fn unknown(permitted: &Rules) -> Rules {
    let numbers = SHARED_NUMBERS.filter(|number| !permitted.contains_key(number));
    let numbers = numbers.filter(|number| !list::REFUSED.contains(number));
    numbers.map(|number| (number, Vec::new())).collect()
}

fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

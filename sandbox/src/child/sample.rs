//! The resources that a tree of processes uses, read from `/proc`.

use std::{fs, time::Duration};

use crate::{Limit, Limits};

/// The clock ticks of a second in `/proc`, the same on all Linux systems.
const TICKS: u64 = 100;

/// The resources that a tree of processes uses at one time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// Processes and threads.
    processes: u64,
    /// CPU time in ticks, including children that ended.
    ticks: u64,
    /// Memory in KiB, without pages of files.
    memory: u64,
    /// Bytes written to disks, including children that ended.
    written: u64,
}

impl Sample {
    /// Returns the limit that is exceeded.
    pub(super) fn exceeded(&self, limits: &Limits) -> Option<Limit> {
        let cpu = Duration::from_millis(self.ticks.saturating_mul(1000 / TICKS));
        let checks = [
            // The first process of the run is not the program's.
            (
                self.processes > limits.processes.saturating_add(1),
                Limit::Processes,
            ),
            (cpu > limits.cpu, Limit::Cpu),
            (
                self.memory.saturating_mul(1024) > limits.memory,
                Limit::Memory,
            ),
            (self.written > limits.written, Limit::Written),
        ];
        let mut exceeded = checks.into_iter().filter(|(exceeded, _)| *exceeded);
        exceeded.next().map(|(_, limit)| limit)
    }

    fn add(&mut self, pid: i32) {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        self.processes += field(&status, "Threads:").max(1);
        self.memory += field(&status, "RssAnon:") + field(&status, "RssShmem:");
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name of the program, in parentheses, may contain anything.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let times = fields.split_ascii_whitespace().skip(11).take(4);
        self.ticks += times
            .filter_map(|time| time.parse::<u64>().ok())
            .sum::<u64>();
        let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
        self.written += field(&io, "write_bytes:");
    }
}

fn field(text: &str, name: &str) -> u64 {
    let mut values = text.lines().filter_map(|line| line.strip_prefix(name));
    let value = values
        .next()
        .and_then(|value| value.split_ascii_whitespace().next());
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// Returns the resources that a process and its descendants use.
pub(super) fn of_tree(root: i32) -> Sample {
    let mut sample = Sample::default();
    for pid in descendants(root) {
        sample.add(pid);
    }
    sample
}

/// Returns a process and its descendants.
pub(super) fn descendants(root: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        found.push(pid);
        let threads = fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten();
        for thread in threads.flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children = children.split_ascii_whitespace();
            open.extend(children.filter_map(|child| child.parse::<i32>().ok()));
        }
    }
    found
}

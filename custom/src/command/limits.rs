//! The limits of a command. A scope may lower each of them.

use std::time::Duration;

use toolwright::{
    ToolContext, ToolError,
    config::reader::{ConfigReader, TomlNode},
};
use toolwright_commands::misconfigured;
use toolwright_model::settings::Reader as _;
use toolwright_sandbox::Limits;

const MIB: u64 = 1 << 20;

/// The names of the limits.
pub(crate) const NAMES: [&str; 6] = [
    "seconds",
    "cpu_seconds",
    "max_memory_bytes",
    "max_processes",
    "max_output_bytes",
    "max_written_bytes",
];

/// The least, the default and the greatest value of each limit.
pub(crate) const BOUNDS: [(u64, u64, u64); 6] = [
    (1, 60, 3_600),
    (1, 600, 57_600),
    (16 * MIB, 1024 * MIB, 65_536 * MIB),
    (1, 64, 4_096),
    (1, MIB, 64 * MIB),
    (1, 256 * MIB, 65_536 * MIB),
];

/// The values of the limits, in the order of their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandLimits([u64; 6]);

pub(super) fn read(table: TomlNode<'_>, reader: &mut ConfigReader) -> CommandLimits {
    let mut values = BOUNDS.map(|(_, default, _)| default);
    for ((value, name), (least, _, most)) in values.iter_mut().zip(NAMES).zip(BOUNDS) {
        if let Some(number) = reader.number(table, name, least..=most) {
            *value = number.value;
        }
    }
    CommandLimits(values)
}

impl CommandLimits {
    /// Returns the limits of a call: the lower of the file's and the caller's scope's.
    pub(super) fn of_call(self, ctx: &ToolContext) -> Result<Limits, ToolError> {
        let mut values = self.0;
        for (value, name) in values.iter_mut().zip(NAMES) {
            for text in ctx.scope().texts(name).flatten() {
                let limit: u64 = text.parse().map_err(|_| {
                    misconfigured(format!(
                        "`{name}` is not a whole number; the operator corrects the scope"
                    ))
                })?;
                *value = limit.min(*value);
            }
        }
        let [seconds, cpu, memory, processes, output, written] = values;
        let mut limits = Limits::default();
        limits.time = Duration::from_secs(seconds);
        limits.cpu = Duration::from_secs(cpu);
        limits.memory = memory;
        limits.processes = processes;
        limits.output = output;
        limits.written = written;
        limits.file_size = written;
        limits.open_files = 1024;
        limits.scratch = 64 * MIB;
        Ok(limits)
    }
}

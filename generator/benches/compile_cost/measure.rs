//! Crates on disk, and what compiling them costs.

use std::{
    env, fmt, fs,
    path::PathBuf,
    process::{Command, Output},
};

/// The cost of one run of the compiler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// CPU seconds, user and system.
    pub(crate) seconds: f64,
    /// Peak resident memory; none where GNU time is not installed.
    megabytes: Option<u64>,
}

/// The folders of the crates.
pub(crate) struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    pub(crate) fn open() -> Result<Self, String> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compile-cost");
        fs::create_dir_all(&folder).map_err(io_message)?;
        Ok(Self { folder })
    }

    /// The costs to check and to build a crate of this source.
    pub(crate) fn costs(&self, name: &str, source: &str) -> Result<Vec<Cost>, String> {
        let adapter = concat!(env!("CARGO_MANIFEST_DIR"), "/../adapter");
        let dependencies = match name {
            // With all that the twins derive.
            "emitted" => format!(
                "toolwright = {{ package = \"toolwright-adapter\", path = {adapter:?}, features = [\"serde\"] }}"
            ),
            "serde" => "serde = { version = \"1\", features = [\"derive\"] }\n\
                 serde_json = { version = \"1\", features = [\"preserve_order\"] }"
                .to_owned(),
            _ => String::new(),
        };
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{dependencies}\n\n[workspace]\n"
        );
        let folder = self.folder.join(name);
        fs::create_dir_all(folder.join("src")).map_err(io_message)?;
        fs::write(folder.join("Cargo.toml"), manifest).map_err(io_message)?;
        let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock");
        fs::copy(lock, folder.join("Cargo.lock")).map_err(io_message)?;
        let mut costs = Vec::new();
        for command in ["check", "build"] {
            // First without the types, so only they are measured.
            fs::write(folder.join("src/lib.rs"), "").map_err(io_message)?;
            self.compile(name, command)?;
            fs::write(folder.join("src/lib.rs"), source).map_err(io_message)?;
            let first = self.compile(name, command)?;
            fs::write(folder.join("src/lib.rs"), format!("{source}\n")).map_err(io_message)?;
            let second = self.compile(name, command)?;
            costs.push(if second.seconds < first.seconds {
                second
            } else {
                first
            });
        }
        Ok(costs)
    }

    fn compile(&self, name: &str, command: &str) -> Result<Cost, String> {
        let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let timed = PathBuf::from("/usr/bin/time");
        let has_time = timed.exists();
        let mut run = if has_time {
            let mut run = Command::new(timed);
            run.args(["-f", "%U %S %M", &cargo]);
            run
        } else {
            Command::new(&cargo)
        };
        run.args([command, "--offline", "--quiet", "--lib"])
            .current_dir(self.folder.join(name))
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("RUSTFLAGS");
        let before = seconds_of_children();
        let output = run.output().map_err(io_message)?;
        let after = seconds_of_children();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(cost_of(&output, after - before))
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.megabytes {
            Some(megabytes) => format!("{:.2} / {megabytes}", self.seconds),
            None => format!("{:.2} / –", self.seconds),
        };
        f.pad(&text)
    }
}

/// Reads the cost from the last line of GNU time, or else the CPU time of the children.
fn cost_of(output: &Output, of_children: f64) -> Cost {
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().last().unwrap_or_default();
    let numbers: Vec<f64> = last
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    match numbers.as_slice() {
        [user, system, kilobytes] => Cost {
            seconds: user + system,
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "kilobytes of memory are a small whole number"
            )]
            megabytes: Some(*kilobytes as u64 / 1024),
        },
        _ => Cost {
            seconds: of_children,
            megabytes: None,
        },
    }
}

/// The CPU seconds of all children that have ended, as Linux counts them.
fn seconds_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = behind_name.split_whitespace().skip(13).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is a function for `map_err`"
)]
fn io_message(error: std::io::Error) -> String {
    error.to_string()
}

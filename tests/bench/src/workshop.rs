//! Runs and measures programs.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use wait4::Wait4;

use crate::{
    documents::Document,
    generator::Generator,
    records::{Cost, Outcome, Phase},
};

/// The exit code of `timeout` when the time limit is reached.
const TIMED_OUT: i32 = 124;

/// A working folder for measured programs.
pub(crate) struct Workshop {
    folder: PathBuf,
    /// The seconds after which a program is ended.
    limit: u32,
}

impl Workshop {
    pub(crate) fn open(folder: &Path, limit: u32) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self {
            folder: folder.canonicalize()?,
            limit,
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Measures a step of a generator, with as many runs as the step needs.
    pub(crate) fn measure(
        &self,
        generator: Generator,
        program: &Path,
        document: &Document,
        phase: Phase,
    ) -> io::Result<Outcome> {
        let mut cheapest = self.measure_once(generator, program, document, phase)?;
        for _ in 1..phase.runs() {
            if !matches!(cheapest, Outcome::Done(_)) {
                break;
            }
            cheapest = cheapest.cheaper(self.measure_once(generator, program, document, phase)?);
        }
        Ok(cheapest)
    }

    /// Runs a step of a generator once, after the steps that it needs.
    fn measure_once(
        &self,
        generator: Generator,
        program: &Path,
        document: &Document,
        phase: Phase,
    ) -> io::Result<Outcome> {
        let folder = self.folder.join(generator.name()).join("measured");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        generator
            .prepare(document, &folder)
            .map_err(io::Error::other)?;
        let generate = || self.run(generator.command(program, document, &folder));
        let generated = generate()?;
        if phase == Phase::Generate || !matches!(generated, Outcome::Done(_)) {
            return Ok(generated);
        }
        match phase {
            Phase::Generate => Ok(generated),
            Phase::Again => generate(),
            Phase::Check | Phase::Build => {
                generator.complete(&folder)?;
                let target = self.folder.join(generator.name()).join("target");
                let command = if phase == Phase::Check {
                    "check"
                } else {
                    "build"
                };
                self.compile(&folder, &target, command)
            }
        }
    }

    /// Compiles the library in a folder: first an empty one to build the dependencies, then the
    /// measured one.
    pub(crate) fn compile(
        &self,
        folder: &Path,
        target: &Path,
        command: &str,
    ) -> io::Result<Outcome> {
        let root = folder.join("src/lib.rs");
        let text = fs::read(&root)?;
        let run = || {
            let mut cargo = Command::new("cargo");
            cargo
                .args([command, "--lib", "--quiet"])
                .current_dir(folder)
                .env("CARGO_TARGET_DIR", target)
                .env("CARGO_INCREMENTAL", "0")
                .env("RUSTFLAGS", "-Awarnings");
            cargo
        };
        fs::write(&root, "//! Empty.\n")?;
        let status = run().status()?;
        if !status.success() {
            return Ok(Outcome::Failed);
        }
        fs::write(&root, text)?;
        self.run(run())
    }

    /// Runs a program and measures it.
    pub(crate) fn run(&self, program: Command) -> io::Result<Outcome> {
        let mut command = Command::new("timeout");
        command
            .arg(self.limit.to_string())
            .arg(program.get_program());
        command.args(program.get_args());
        for (name, value) in program.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        if let Some(folder) = program.get_current_dir() {
            command.current_dir(folder);
        }
        let log = fs::File::create(self.folder.join("log.txt"))?;
        let child = command.stdout(Stdio::null()).stderr(log).spawn()?;
        let used = child.wait4()?;
        Ok(if used.status.code() == Some(TIMED_OUT) {
            Outcome::TimedOut
        } else if used.status.success() {
            Outcome::Done(Cost {
                seconds: thousandths((used.rusage.utime + used.rusage.stime).as_secs_f64()),
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "the memory is much smaller than 2^52 bytes"
                )]
                mebibytes: thousandths(used.rusage.maxrss as f64 / 1_048_576.0),
            })
        } else {
            Outcome::Failed
        })
    }
}

fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

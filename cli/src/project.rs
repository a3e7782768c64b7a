//! The project that a command works on: the nearest `toolwright.toml`.

#[cfg(feature = "generator")]
use std::path::Component;
use std::path::{Path, PathBuf};

use toolwright::{
    config::{CONFIG_FILE, Config, ConfigError},
    private,
};

use crate::{
    Failure,
    failure::Code,
    trust::{self, Settings},
};

/// The longest `toolwright.toml` that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// The `toolwright.toml` that was named, or the one nearest above the current folder.
pub(crate) fn locate(named: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    if let Some(file) = named {
        return Ok(Some(file.to_owned()));
    }
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(format!("cannot determine the current folder: {error}")))?;
    Ok(nearest(&here))
}

/// Reads a `toolwright.toml` for a command that only looks, or writes within the project. The user
/// need not have trusted it.
pub(crate) fn read(file: &Path) -> Result<Config, Failure> {
    let mut config = Config::read(file).map_err(|error| invalid(&error))?;
    config.asks_stores = false;
    Ok(config)
}

/// The failure of a `toolwright.toml` with faults.
pub(crate) fn invalid(error: &ConfigError) -> Failure {
    let failure = Failure::all(error.problems.iter().map(ToString::to_string));
    failure.code(Code::InvalidConfiguration)
}

/// Reads a `toolwright.toml` for a command that calls tools or decides about calls. The user must
/// have trusted it, and no other user may be able to change it.
pub(crate) fn read_trusted(file: &Path) -> Result<Config, Failure> {
    let (config, settings) = read_protected(file)?;
    trust::check(file, &settings)?;
    Ok(config)
}

/// Reads a `toolwright.toml` that no other user can change, with its settings.
pub(crate) fn read_protected(file: &Path) -> Result<(Config, Settings), Failure> {
    let text = private::read_protected(file, LIMIT).map_err(|error| {
        Failure::new(format!("cannot use `{}`: {error}", file.display())).code(Code::File)
    })?;
    let config = Config::parse(file, &text)
        .and_then(Config::with_lock_file)
        .map_err(|error| invalid(&error))?;
    let settings = Settings::parse(&text).map_err(|error| {
        Failure::new(format!("cannot read `{}`: {error}", file.display()))
            .code(Code::InvalidConfiguration)
    })?;
    let settings = settings.with_programs(&config.root.join(toolwright_custom::FOLDER));
    Ok((config, settings))
}

/// Checks whether the folders that a command writes to are within the project.
#[cfg(feature = "generator")]
pub(crate) fn stays_within(config: &Config) -> bool {
    let folders = [&config.workspace.specs, &config.workspace.generated];
    let within = |folder: &Path| {
        folder.strip_prefix(&config.root).is_ok_and(|below| {
            let mut parts = below.components();
            parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        })
    };
    folders.into_iter().all(|folder| within(folder))
}

/// The file in the folder or in the nearest one above it, as seen from the folder.
fn nearest(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .zip(std::iter::successors(Some(PathBuf::new()), |up| {
            Some(up.join(".."))
        }))
        .find(|(above, _)| above.join(CONFIG_FILE).is_file())
        .map(|(_, up)| up.join(CONFIG_FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_is_named_as_seen_from_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(folder.path().join(CONFIG_FILE), "").unwrap();
        assert_eq!(nearest(&deep).unwrap(), Path::new("../../toolwright.toml"));
        assert_eq!(nearest(folder.path()).unwrap(), Path::new(CONFIG_FILE));
    }

    #[cfg(feature = "generator")]
    #[test]
    fn a_folder_outside_the_project_is_detected() {
        for (root, generated, within) in [
            ("..", "generated", true),
            ("", "./out/src", true),
            ("w", "../other", false),
            ("w", "/srv/elsewhere", false),
            ("w", "a/../../b", false),
        ] {
            let text = format!("[workspace]\ngenerated = \"{generated}\"\n");
            let file = Path::new(root).join(CONFIG_FILE);
            let config = Config::parse(&file, &text).unwrap();
            assert_eq!(stays_within(&config), within, "{root} {generated}");
        }
    }
}

//! The crates of others as the build of this repository compiles them.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Error, Result},
    path::Path,
};

use toml::{Table, Value};

use crate::command;

/// A line of `cargo tree`: the package, then its features.
const FORMAT: &str = "{p}|{f}";

/// The packages below the crates of this repository, each with its features.
#[derive(Default)]
struct Tree {
    /// The crates of this repository.
    members: BTreeSet<String>,
    below: BTreeMap<String, BTreeSet<String>>,
    features: BTreeMap<String, String>,
    macros: BTreeSet<String>,
}

/// Returns the manifest of a crate that depends on all crates of others, with the features that the build of this
/// repository selects. In one build with this crate, cargo compiles none of them again.
///
/// A crate is a dependency if the programs need it, and a build dependency if build scripts or macros do, as it is
/// in this repository: the flags of the compiler depend on that.
///
/// # Errors
/// If cargo fails.
pub(crate) fn manifest(name: &str) -> Result<Table> {
    let all = Tree::read("normal,build,dev")?;
    let programs = Tree::read("normal,dev")?;
    let (of_programs, of_host) = all.reached(&programs);
    let package = Table::from_iter([
        ("name".to_owned(), name.into()),
        ("edition".to_owned(), "2024".into()),
    ]);
    Ok(Table::from_iter([
        ("package".to_owned(), package.into()),
        ("dependencies".to_owned(), all.table(&of_programs).into()),
        ("build-dependencies".to_owned(), all.table(&of_host).into()),
    ]))
}

impl Tree {
    /// Reads the dependencies of these kinds.
    fn read(kinds: &str) -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let printed = command("tree")?
            .args(["--workspace", "--locked", "--prefix", "depth"])
            .args(["--edges", kinds, "--format", FORMAT])
            .current_dir(root)
            .output()?;
        if !printed.status.success() {
            let message = String::from_utf8_lossy(&printed.stderr);
            return Err(Error::other(message.into_owned()));
        }
        let mut tree = Self::default();
        let mut above: Vec<String> = Vec::new();
        for line in String::from_utf8_lossy(&printed.stdout).lines() {
            tree.add(line, &mut above);
        }
        Ok(tree)
    }

    /// Adds a line, such as `3serde v1.0.0|std`. Cargo writes `(*)` after a package whose dependencies it wrote before.
    fn add(&mut self, line: &str, above: &mut Vec<String>) {
        let line = line.trim_end_matches(" (*)");
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let (depth, rest) = line.split_at(digits);
        let (Ok(depth), Some((package, features))) = (depth.parse(), rest.split_once('|')) else {
            return;
        };
        let (package, is_macro) = match package.strip_suffix(" (proc-macro)") {
            Some(package) => (package.to_owned(), true),
            None => (package.to_owned(), false),
        };
        above.truncate(depth);
        match above.last() {
            Some(parent) => {
                let below = self.below.entry(parent.clone()).or_default();
                below.insert(package.clone());
            }
            None => {
                self.members.insert(package.clone());
            }
        }
        if is_macro {
            self.macros.insert(package.clone());
        }
        self.features.insert(package.clone(), features.to_owned());
        above.push(package);
    }

    /// Returns the packages that programs need, and those that build scripts and macros need. The dependencies
    /// without those of build scripts tell them apart.
    fn reached(&self, programs: &Self) -> (BTreeSet<String>, BTreeSet<String>) {
        let mut reached = BTreeSet::new();
        let mut todo: Vec<(String, bool)> =
            self.members.iter().map(|it| (it.clone(), false)).collect();
        while let Some((package, on_host)) = todo.pop() {
            if !reached.insert((package.clone(), on_host)) {
                continue;
            }
            let without_scripts = programs.below.get(&package);
            for below in self.below.get(&package).into_iter().flatten() {
                let of_script = without_scripts.is_none_or(|normal| !normal.contains(below));
                let on_host = on_host || of_script || self.macros.contains(below);
                todo.push((below.clone(), on_host));
            }
        }
        let of = |host: bool| {
            let packages = reached.iter().filter(|(_, on_host)| *on_host == host);
            packages.map(|(package, _)| package.clone()).collect()
        };
        (of(false), of(true))
    }

    /// Returns the packages of a registry as dependencies. Two versions of one have names of their own.
    fn table(&self, packages: &BTreeSet<String>) -> Table {
        let named = packages.iter().filter_map(|package| {
            let (name, version) = package.split_once(" v")?;
            // The path of a crate of this repository follows the version.
            let is_foreign = !version.contains(' ');
            let features = self.features.get(package)?.split(',');
            let features = features.filter(|feature| !feature.is_empty());
            let features: Vec<Value> = features.map(Value::from).collect();
            let dependency = Table::from_iter([
                ("package".to_owned(), name.into()),
                ("version".to_owned(), format!("={version}").into()),
                ("default-features".to_owned(), false.into()),
                ("features".to_owned(), features.into()),
            ]);
            let key = package.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            is_foreign.then(|| (key, dependency.into()))
        });
        named.collect()
    }
}

//! Drift: each folder of `cases/` is a change of a specification and its effect on the tools.
//!
//! A case contains the old document (`old.yaml`, `old.graphql` or `old.proto`) and the new one, optional overlays
//! (`old.overlay.toml`) and written operations (`old.operations.graphql`), and the report (`expected.json`).
//!
//! `UPDATE_EXPECT=1` rewrites the reports. Otherwise nothing is written.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use expect_test::expect_file;
use libtest_mimic::{Arguments, Failed, Trial};
use toolwright_drift as drift;
use toolwright_drift::{ChangeKind, Class, Inventory, Report};
use toolwright_generator::{
    emit::{Manifest, OutputTree},
    generate::{self, Input, Options},
    load::Memory,
};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<_> = cases()
        .into_iter()
        .map(|case| {
            let name = case.file_name().unwrap().to_string_lossy().into_owned();
            Trial::test(name, move || check(&case))
        })
        .collect();
    trials.push(Trial::test("every kind has a case", every_kind_has_a_case));
    trials.push(Trial::test(
        "every kind is documented",
        every_kind_is_documented,
    ));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Checks the report, that no side differs from itself, and that the manifests show the governed
/// changes.
fn check(case: &Path) -> Result<(), Failed> {
    let (old, new) = (Side::read(case, "old"), Side::read(case, "new"));
    let report = drift::compare(&old.whole, &new.whole);
    for side in [&old.whole, &new.whole] {
        let same = drift::compare(side, side);
        assert!(same.is_empty(), "a side differs from itself: {same:?}");
    }
    check_outlines(&old, &new, &report);
    let actual = format!("{:#}\n", serde_json::to_value(&report)?);
    expect_file![case.join("expected.json")].assert_eq(&actual);
    Ok(())
}

/// Checks that manifests report the same governed changes that whole records do.
fn check_outlines(old: &Side, new: &Side, report: &Report) {
    let outlines = drift::compare(&old.outline, &new.outline);
    let mixed = drift::compare(&old.outline, &new.whole);
    assert_eq!(
        outlines.totals, mixed.totals,
        "a manifest is compared with records too"
    );
    assert!(drift::compare(&old.outline, &old.whole).is_empty());
    let governed = |report: &Report| -> BTreeSet<ChangeKind> {
        let kinds = report.changes.iter().map(|change| change.kind);
        kinds.filter(|kind| is_in_manifests(*kind)).collect()
    };
    assert_eq!(governed(&outlines), governed(report));
}

const fn is_in_manifests(kind: ChangeKind) -> bool {
    matches!(
        kind,
        ChangeKind::ToolAdded
            | ChangeKind::ToolRemoved
            | ChangeKind::ToolRenamed
            | ChangeKind::ApprovalLost
            | ChangeKind::ApprovalAdded
            | ChangeKind::CategoryChanged
            | ChangeKind::EffectRaised
            | ChangeKind::EffectLowered
            | ChangeKind::HintWeakened
            | ChangeKind::HintHardened
            | ChangeKind::OnByDefault
            | ChangeKind::OffByDefault
            | ChangeKind::ReasonChanged
            | ChangeKind::MethodChanged
            | ChangeKind::PathChanged
    )
}

/// The tools of a side, and its manifest.
struct Side {
    whole: Inventory,
    outline: Inventory,
}

impl Side {
    fn read(case: &Path, side: &str) -> Self {
        let mut files = BTreeMap::new();
        let extensions = ["graphql", "proto", "yaml"];
        let mut documents = extensions
            .map(|extension| format!("{side}.{extension}"))
            .into_iter();
        let document = documents
            .find(|document| case.join(document).exists())
            .unwrap();
        let others = ["overlay.toml", "operations.graphql"].map(|name| format!("{side}.{name}"));
        for name in [document.clone()].into_iter().chain(others) {
            if let Ok(bytes) = fs::read(case.join(&name)) {
                files.insert(name, bytes);
            }
        }
        let mut input = Input::new(document).service("shop");
        let overlay = format!("{side}.overlay.toml");
        if files.contains_key(&overlay) {
            input = input.overlay(overlay);
        }
        let outcome = generate::run(&[input], Options::default(), &Memory(files));
        let catalog = outcome
            .catalog
            .unwrap_or_else(|| panic!("{}/{side}: {:#?}", case.display(), outcome.diagnostics));
        let mut tree = OutputTree::new();
        tree.add_below(
            "",
            toolwright_generator::emit::service(&catalog.services()[0]),
        );
        let manifest = Manifest::from_json(tree.file("manifest.json").unwrap()).unwrap();
        Self {
            whole: Inventory::of_specs(catalog.tool_specs()),
            outline: Inventory::of_manifest(manifest),
        }
    }
}

fn every_kind_has_a_case() -> Result<(), Failed> {
    // Only manifests have these kinds, and the reports of cases compare whole records.
    let mut seen = BTreeSet::from(["arguments-changed".to_owned(), "result-changed".to_owned()]);
    for case in cases() {
        let text = fs::read_to_string(case.join("expected.json"))?;
        let report: serde_json::Value = serde_json::from_str(&text)?;
        let kinds = report["totals"]["kinds"].as_object().unwrap();
        seen.extend(kinds.keys().cloned());
    }
    let words = ChangeKind::ALL.iter().map(|kind| kind.word());
    let missing: Vec<_> = words.filter(|word| !seen.contains(*word)).collect();
    assert!(missing.is_empty(), "no case has {missing:?}");
    Ok(())
}

fn every_kind_is_documented() -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/diff.md");
    let page = fs::read_to_string(path)?;
    for class in Class::ALL {
        let (_, section) = page
            .split_once(&format!("\n### {}\n", class.word()))
            .ok_or_else(|| format!("`docs/diff.md` has no section `{}`", class.word()))?;
        let section = section.split("\n#").next().unwrap_or_default();
        let rows: Vec<&str> = section
            .lines()
            .filter(|line| line.starts_with("| `"))
            .collect();
        let expected: Vec<String> = ChangeKind::ALL
            .iter()
            .filter(|kind| kind.class() == class)
            .map(|kind| format!("| `{}` | {} |", kind.word(), kind.meaning()))
            .collect();
        assert_eq!(rows, expected, "of the class `{}`", class.word());
    }
    Ok(())
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drift/cases");
    let entries = fs::read_dir(folder).unwrap();
    let mut cases: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

//! Pages: what the rules make of real documents. `docs/pagination.md` has what was found.
//!
//! With `PAGES=corpus` only the documents are read whose path has `corpus` in it, and every
//! recognition is printed, and every list without one; it is how they were read by eye.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

mod shared;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use toolwright_generator::{
    check::CheckedCatalog,
    generate::{self, Input, Options, Unnameable},
    load::Disk,
};
use toolwright_model::{NextPage, Pagination, ToolSpec};

#[test]
fn pagination_of_real_documents_is_recognised() {
    let folders = ["corpus", "services"].map(shared::shared);
    let shown = std::env::var("PAGES").ok();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut tools, mut lists) = (0, 0);
    for document in folders
        .into_iter()
        .flatten()
        .flat_map(|folder| files(&folder))
    {
        let path = document.to_string_lossy();
        if shown.as_ref().is_some_and(|part| !path.contains(part)) {
            continue;
        }
        let shown = shown.is_some();
        for spec in specs(&document) {
            tools += 1;
            let Some(pagination) = &spec.pagination else {
                let is_list = spec.name.as_str().starts_with("list-");
                lists += usize::from(is_list);
                if shown && is_list {
                    println!("none {path} {} {:?}", spec.name, arguments(&spec));
                }
                continue;
            };
            lists += 1;
            *found.entry(word(pagination)).or_default() += 1;
            check(&spec, pagination);
            if shown {
                let file = document.file_name().unwrap().to_string_lossy();
                println!(
                    "{} {file} {} | {pagination} | {:?}",
                    word(pagination),
                    spec.name,
                    pagination.evidence
                );
            }
        }
    }
    let recognised: usize = found.values().sum();
    println!("{tools} tools, {lists} lists, {recognised} with pages: {found:?}");
    assert!(recognised * 4 >= lists, "{recognised} of {lists}");
}

/// Checks that every argument in the record is one of the tool's.
fn check(spec: &ToolSpec, pagination: &Pagination) {
    let named: Vec<&String> = match &pagination.next {
        NextPage::Cursor { argument, .. }
        | NextPage::LastItem { argument, .. }
        | NextPage::Page { argument, .. }
        | NextPage::Offset { argument, .. } => vec![argument],
        NextPage::Url { arguments, .. } | NextPage::Link { arguments } => {
            arguments.iter().map(|named| &named.argument).collect()
        }
    };
    let properties = spec.input_schema.whole()["properties"].as_object().unwrap();
    for argument in named.into_iter().chain(&pagination.size) {
        assert!(
            properties.contains_key(argument),
            "{}: {argument}",
            spec.name
        );
    }
    assert!(
        spec.description.ends_with(&pagination.to_string()),
        "{}",
        spec.name
    );
    assert!(!pagination.evidence.is_empty(), "{}", spec.name);
}

fn word(pagination: &Pagination) -> &'static str {
    match pagination.next {
        NextPage::Cursor { .. } => "cursor",
        NextPage::LastItem { .. } => "last-item",
        NextPage::Page { .. } => "page",
        NextPage::Offset { .. } => "offset",
        NextPage::Url { .. } => "url",
        NextPage::Link { .. } => "link",
    }
}

fn arguments(spec: &ToolSpec) -> Vec<&String> {
    let properties = spec.input_schema.whole()["properties"].as_object();
    properties.unwrap().keys().collect()
}

fn specs(document: &Path) -> Vec<ToolSpec> {
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let input = Input::new(document.to_str().unwrap()).service("shop");
    let outcome = generate::run(&[input], options, &Disk);
    outcome
        .catalog
        .as_ref()
        .map(CheckedCatalog::tool_specs)
        .unwrap_or_default()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut unread = vec![folder.to_owned()];
    while let Some(path) = unread.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            unread.extend(entries.map(|entry| entry.unwrap().path()));
        } else if ["json", "yaml", "yml"].iter().any(|known| {
            path.extension()
                .is_some_and(|extension| extension == *known)
        }) {
            files.push(path);
        }
    }
    files.sort();
    files
}

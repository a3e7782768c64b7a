//! Checks that the links between the documents point to existing files and headings.
#![cfg(test)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Lists the documents of the root and of `docs`.
fn documents() -> Vec<PathBuf> {
    let folders = [root(), root().join("docs")];
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut documents: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    documents.sort();
    documents
}

/// Returns the lines of a document outside of its fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    })
}

/// Returns the targets of the links of a document.
fn targets(text: &str) -> Vec<String> {
    let text: Vec<_> = prose(text).collect();
    let text = text.join("\n");
    let starts = text.split("](").skip(1);
    starts
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

/// Returns the anchors of the headings of a document, as GitHub derives them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            heading
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

/// Returns the reason why a link of a document is broken.
fn fault(document: &Path, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() {
        document.to_owned()
    } else {
        document.parent().unwrap().join(file)
    };
    if !path.exists() {
        return Some("the file does not exist".to_owned());
    }
    if anchor.is_empty() {
        return None;
    }
    let anchors = anchors(&fs::read_to_string(path).unwrap());
    (!anchors.contains(anchor)).then(|| "the heading does not exist".to_owned())
}

#[test]
fn every_link_points_to_a_file_and_a_heading() {
    let mut links = 0;
    let mut faults = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&text) {
            links += 1;
            if let Some(fault) = fault(&document, &target) {
                faults.push(format!("{}: `{target}`: {fault}", document.display()));
            }
        }
    }
    assert!(links > 100, "there are only {links} links");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_has_a_task() {
    let index = fs::read_to_string(root().join("docs/README.md")).unwrap();
    let listed = targets(&index);
    let listed: BTreeSet<_> = listed
        .iter()
        .filter_map(|target| target.split('#').next())
        .collect();
    for document in documents() {
        let name = document.file_name().unwrap().to_str().unwrap();
        let is_index = ["README.md", "SUMMARY.md"].contains(&name);
        let is_page = document.parent().unwrap().ends_with("docs") && !is_index;
        assert!(
            !is_page || listed.contains(name),
            "docs/README.md has no link to {name}"
        );
    }
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = root().join("docs/SUMMARY.md");
    let text = fs::read_to_string(&contents).unwrap();
    let mut listed: Vec<_> = targets(&text)
        .iter()
        .map(|target| fs::canonicalize(root().join("docs").join(target)).unwrap())
        .collect();
    listed.sort();
    let pages = documents().into_iter().filter(|page| *page != contents);
    let mut pages: Vec<_> = pages.map(|page| fs::canonicalize(page).unwrap()).collect();
    pages.sort();
    assert_eq!(listed, pages, "`docs/SUMMARY.md` lists each page once");
}

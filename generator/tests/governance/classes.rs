//! Writes the class of every operation of a folder of documents into a file, so that two versions of the
//! rules can be compared.
//!
//! `TOOLWRIGHT_CLASSES_OF` holds the folders, separated by colons, and `TOOLWRIGHT_CLASSES_FILE` the file:
//! a line for each operation, with its document, method, path, operation id, class, texts and evidence.

use std::{env, fmt::Write as _, fs, path::Path};

use toolwright_generator::internals::{Classification, OperationFacts, classify_all};

use crate::{directory, documents};

/// The most characters of a text that are written.
const TEXT: usize = 400;

#[test]
fn classes_are_written_on_request() {
    let variables = ["TOOLWRIGHT_CLASSES_OF", "TOOLWRIGHT_CLASSES_FILE"].map(env::var);
    let [Ok(folders), Ok(file)] = variables else {
        return;
    };
    let mut lines = String::new();
    for folder in folders.split(':').map(Path::new) {
        for path in directory::files(folder) {
            let name = path.strip_prefix(folder).unwrap().to_string_lossy();
            let operations = documents::read(&path);
            for (facts, found) in operations.iter().zip(classify_all(&operations)) {
                line(&mut lines, &name, facts, &found);
            }
        }
    }
    fs::write(file, lines).unwrap();
}

fn line(lines: &mut String, document: &str, facts: &OperationFacts, found: &Classification) {
    let flat = |text: &Option<String>| -> String {
        let words: Vec<&str> = text
            .iter()
            .flat_map(|text| text.split_whitespace())
            .collect();
        words.join(" ").chars().take(TEXT).collect()
    };
    let (method, path, kind) = (facts.method, &facts.path, found.kind);
    let (id, summary) = (flat(&facts.operation_id), flat(&facts.summary));
    let description = flat(&facts.description);
    write!(
        lines,
        "{document}\t{method}\t{path}\t{id}\t{kind}\t{summary}\t{description}\t"
    )
    .unwrap();
    for evidence in &found.evidence {
        let mark = if evidence.decided { "*" } else { "" };
        let quoted = flat(&Some(evidence.found.clone()));
        let (source, suggests, weight) = (evidence.source, evidence.suggests, evidence.weight);
        write!(lines, "{mark}{source}: {quoted} → {suggests} {weight}; ").unwrap();
    }
    lines.push('\n');
}

//! `files`: the store on a disk that is full.

use crate::{
    audit::Mount,
    support::{Project, service},
};
use toolwright_tests::Answer;

const CALLER: [&str; 2] = ["--role", "reader"];

#[test]
fn a_full_disk_loses_only_the_file_that_does_not_fit() {
    let memo = service(Answer::json(200, "[]"));
    let project = Project::with_memo();
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n");
    let base = format!("{{\"base_url\": \"{}\"}}", memo.url());
    project.write(".local/memo/admin-auth.json", base);
    project.write("small.bin", "s".repeat(10 << 10));
    project.write("other.bin", "o".repeat(10 << 10));
    project.write("large.bin", "l".repeat(200 << 10));
    let Some(_mount) = Mount::new(project.path(".toolwright/files")) else {
        println!("skipped: nothing can be mounted here");
        return;
    };
    let add = |file: &str| project.run(&[&["files", "add", file, "--json"], &CALLER[..]].concat());
    add("small.bin").expect(0);
    let full = add("large.bin").expect(100);
    assert!(full.stdout.contains("file_store_failed"), "{}", full.stdout);
    assert!(full.stdout.contains("No space left"), "{}", full.stdout);
    // The unfinished file takes no room, and the finished one is whole.
    let handle = add("other.bin").expect(0).json()[0]["handle"].clone();
    let handle = handle.as_str().unwrap();
    let save = ["files", "save", handle, "--output", "copy.bin"];
    project.run(&[&save, &CALLER[..]].concat()).expect(0);
    assert_eq!(project.read("copy.bin"), project.read("other.bin"));
    let listed = project.run(&[&["files", "list", "--json"], &CALLER[..]].concat());
    assert_eq!(listed.expect(0).stdout.matches("\"handle\"").count(), 2);
    let left = project.files(".toolwright/files");
    assert_eq!(
        left.len(),
        5,
        "two records, two contents and the lock: {left:?}"
    );
}

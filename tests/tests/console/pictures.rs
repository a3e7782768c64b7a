//! Pictures of each page at two widths, light and dark, compared with those in `pictures`.
//!
//! `UPDATE_EXPECT=1` writes them anew. `TOOLWRIGHT_PICTURES=FOLDER` also writes the pages in their full size, for a
//! person to look at. The browser has the fonts of `tests/real/console/fonts.conf` only, and what
//! differs from run to run (numbers, times, ids) is the same in each picture.
#![cfg(test)]

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{
    chromium::Chromium,
    installed,
    picture::Picture,
    world::{ITEMS, PAGES, World},
};

/// The greatest share of a picture that may differ, in per mille. Two versions of the browser draw edges of
/// letters differently; a part that moves by a line is more.
const TOLERANCE: usize = 8;

/// The greatest height of a picture, in pixels of the page.
const TALLEST: u64 = 1_600;

/// Makes everything equal that differs from run to run, and stops what changes by itself.
const FREEZE: &str = r#"
    for (let id = 1; id < 1000; id++) { clearInterval(id); clearTimeout(id); }
    for (const time of document.querySelectorAll("time")) time.textContent = "0 s";
    for (const name of ["data-until", "data-since", "data-count", "data-part"]) {
        for (const element of document.querySelectorAll(`[${name}]`)) element.removeAttribute(name);
    }
    for (const drawn of document.querySelectorAll(".timeline svg")) drawn.style.visibility = "hidden";
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.data;
        const same = text
            .replace(/\/tmp\/[^\s"]+/g, "/tmp/0")
            .replace(/\b[0-9a-f]{8,}\b/g, "00000000")
            .replace(/\d+/g, "0");
        if (same !== text) walker.currentNode.data = same;
    }
    if (document.activeElement) document.activeElement.blur();
    return document.body.offsetHeight;
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_look_as_they_did() {
    if installed().is_none() {
        return;
    }
    let world = World::new().await;
    let request = busy(&world).await;
    let ann = Chromium::of(&world, "ann").await;
    let mut pages: Vec<(String, String)> =
        PAGES.map(|path| (name_of(path), path.to_owned())).to_vec();
    pages.push(("request".to_owned(), format!("/waiting/{request}")));
    let mut faults = Vec::new();
    for (name, path) in &pages {
        for (width, is_dark) in [(1280, false), (1280, true), (360, false), (360, true)] {
            ann.look(width, is_dark).await;
            ann.go(path).await;
            let height = ann.run(FREEZE).await.as_u64().unwrap().min(TALLEST);
            ann.resize(width, u32::try_from(height).unwrap()).await;
            let full = ann.client.screenshot().await.unwrap();
            let scheme = if is_dark { "-dark" } else { "" };
            let file = format!("{name}-{width}{scheme}.png");
            faults.extend(compare(&file, &full));
        }
    }
    ann.close().await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Makes calls of which every page has something to show. Returns the handle of a request.
async fn busy(world: &World) -> String {
    let item = json!({"item_id": ITEMS[0]});
    world.call("get-depot-item", item).await.unwrap();
    assert!(world.call("no-such-tool", json!({})).await.is_err());
    let item = json!({"item_id": ITEMS[2]});
    world.ask("delete-depot-item", item).await;
    let update = json!({"item_id": ITEMS[0], "quantity": 77, "name": "Wall clock"});
    let request = world.ask("update-depot-item", update).await;
    let hostile = json!({"grain": "rye\u{202e}<b>", "sacks": 3});
    world.ask("grind-mill-grain", hostile).await;
    request.handle.to_string()
}

fn name_of(path: &str) -> String {
    match path.trim_matches('/') {
        "" => "waiting".to_owned(),
        path => path.replace(['/', '?', '='], "-"),
    }
}

/// Compares a page with its picture. Returns the fault, if there is one.
fn compare(file: &str, full: &[u8]) -> Option<String> {
    if let Some(folder) = env::var_os("TOOLWRIGHT_PICTURES").map(PathBuf::from) {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(file), full).unwrap();
    }
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/console/pictures");
    let (path, small) = (pictures.join(file), Picture::decode(full).small());
    if env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
        fs::create_dir_all(&pictures).unwrap();
        fs::write(&path, small.encode()).unwrap();
        return None;
    }
    let Ok(expected) = fs::read(&path) else {
        return Some(format!(
            "{file}: there is no such picture; UPDATE_EXPECT=1 writes it"
        ));
    };
    let difference = Picture::decode(&expected).difference(&small);
    eprintln!("{file}: {difference} per mille");
    if difference <= TOLERANCE {
        return None;
    }
    let actual = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    fs::write(&actual, small.encode()).unwrap();
    Some(format!(
        "{file}: {difference} per mille differ; the page looks as in {}",
        actual.display()
    ))
}

#[test]
fn a_picture_that_differs_is_noticed() {
    let bytes = include_bytes!("../../../docs/console.png");
    let page = Picture::decode(bytes);
    let small = page.small();
    assert_eq!(small.difference(&Picture::decode(&small.encode())), 0);
    // Everything below a line is one line lower.
    let moved = page.with_space(200, 20);
    assert!(small.difference(&moved.small()) > TOLERANCE);
}

//! Pictures of each page, for a person to look at: `TOOLWRIGHT_PICTURES=FOLDER` writes them.
#![cfg(test)]

use std::{env, fs, path::PathBuf};

use serde_json::json;

use crate::{
    PAGES,
    chromium::Chromium,
    installed,
    world::{ITEMS, World},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_of_every_page_are_not_empty() {
    if installed().is_none() {
        return;
    }
    let folder = env::var_os("TOOLWRIGHT_PICTURES").map(PathBuf::from);
    let world = World::new().await;
    world
        .call("get-depot-item", json!({"item_id": ITEMS[0]}))
        .await
        .unwrap();
    assert!(world.call("no-such-tool", json!({})).await.is_err());
    world
        .ask("delete-depot-item", json!({"item_id": ITEMS[2]}))
        .await;
    let update = json!({"item_id": ITEMS[0], "quantity": 77, "name": "Wall clock"});
    let request = world.ask("update-depot-item", update).await;
    world
        .ask(
            "grind-mill-grain",
            json!({"grain": "rye\u{202e}<b>", "sacks": 3}),
        )
        .await;
    let ann = Chromium::of(&world, "ann").await;
    let mut paths = PAGES.map(str::to_owned).to_vec();
    paths.push(format!("/waiting/{}", request.handle));
    for path in &paths {
        for (width, is_dark) in [(1280, false), (1280, true), (360, false)] {
            ann.look(width, is_dark).await;
            ann.go(path).await;
            let picture = ann.client.screenshot().await.unwrap();
            // One colour compresses to far less.
            assert!(
                picture.len() > 6_000,
                "{path} at {width}: {} bytes",
                picture.len()
            );
            if let Some(folder) = &folder {
                let page = path.trim_start_matches('/').replace('/', "-");
                let scheme = if is_dark { "-dark" } else { "" };
                fs::create_dir_all(folder).unwrap();
                fs::write(folder.join(format!("{page}-{width}{scheme}.png")), picture).unwrap();
            }
        }
    }
    ann.close().await;
}

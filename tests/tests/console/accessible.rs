//! The accessibility rules of axe-core hold on every page, in both colours and at both widths.
#![cfg(test)]

use std::fs;

use serde_json::{Value, json};

use crate::{
    chromium::Chromium,
    installed,
    world::{ITEMS, PAGES, World},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_follows_the_rules_of_accessibility() {
    let Some(real) = installed() else {
        return;
    };
    let axe = real
        .folder()
        .join("console/node_modules/axe-core/axe.min.js");
    let axe = fs::read_to_string(axe).unwrap();
    let world = World::new().await;
    let update = json!({"item_id": ITEMS[0], "quantity": 77, "name": "Clock"});
    let request = world.ask("update-depot-item", update).await;
    let ann = Chromium::of(&world, "ann").await;
    let mut paths = PAGES.map(str::to_owned).to_vec();
    paths.push(format!("/waiting/{}", request.handle));
    let mut faults = Vec::new();
    for (width, is_dark) in [(1280, false), (1280, true), (360, false)] {
        ann.look(width, is_dark).await;
        for path in &paths {
            ann.go(path).await;
            ann.run(&axe).await;
            let script = "const done = arguments[arguments.length - 1]; \
                axe.run().then(result => done(result.violations.map(rule => \
                    [rule.id, rule.nodes.map(node => node.html)])))";
            let found = ann.client.execute_async(script, vec![]).await.unwrap();
            if found != Value::Array(vec![]) {
                faults.push(format!("{path} at {width}, dark {is_dark}: {found}"));
            }
            let overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
            let overflow = ann.run(overflow).await;
            if overflow != 0 {
                faults.push(format!("{path} at {width} is {overflow} px too wide"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    ann.close().await;
}

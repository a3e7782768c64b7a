//! The search of tools, measured: tasks of an agent over the documents of five services, and the cost of
//! discovery in the context of a model.
#![cfg(test)]

mod cost;
mod tasks;

use std::{env, fmt::Write as _, fs, sync::Arc};

use toolwright::{
    ToolSpec,
    discovery::{Searcher as _, ToolIndex},
};
use toolwright_discovery::{Embedder, Finder};
use toolwright_generator::{
    generate::{self, Accept, Input, Options, Unnameable},
    load::Disk,
};
use toolwright_tests::shared;

use tasks::{SERVICES, Set, Task, tasks};

/// The page with the figures.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/discovery.md");

const BEGIN: &str = "<!-- cost -->\n";

const END: &str = "<!-- end -->";

const TITLES: &str = "\
| service | tools | whole list | list with discovery | a search | a description | the whole list is larger by |
|---|---|---|---|---|---|---|
";

/// The number of results among which the right tool must be.
const FIRST: usize = 5;

/// Returns the tools of a vendor's document, or none with a printed note if there are no documents.
fn tools(service: &str, file: &str) -> Option<Vec<Arc<ToolSpec>>> {
    let path = shared::folder().join("services").join(service).join(file);
    if !path.exists() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    let options = Options {
        unnameable: Unnameable::LeaveOutLocked,
        accept: Accept {
            renames: false,
            lowering: false,
        },
    };
    let input = Input::new(path.to_str().unwrap()).service(service);
    let catalog = generate::run(&[input], options, &Disk).catalog.unwrap();
    Some(catalog.tool_specs().into_iter().map(Arc::new).collect())
}

/// Counts the tasks whose right tool is among the first results, and prints the others of the sets for
/// tuning: the rank of the right tool, and the tools before it.
fn found(index: &dyn ToolIndex, tools: &[Arc<ToolSpec>], tasks: &[&Task]) -> usize {
    let is_found = |task: &&&Task| {
        let found = index.search(&task.text, tools.len()).into_iter();
        let names: Vec<&str> = found.map(|place| tools[place].name.as_str()).collect();
        let is_right = |name: &&str| task.right.iter().any(|right| right == name);
        let rank = names.iter().position(is_right);
        let is_found = rank.is_some_and(|rank| rank < FIRST);
        if !is_found && task.set.is_for_tuning() {
            let first = &names[..names.len().min(FIRST)];
            println!("{}: {}: {rank:?} after {first:?}", task.service, task.text);
        }
        is_found
    };
    tasks.iter().filter(is_found).count()
}

/// Searches for all tasks, and checks that at least this many of each set are found.
fn measure(finder: &Finder, least: [usize; 4]) {
    let all = tasks();
    let mut counts = Set::ALL.map(|set| (set, 0, 0));
    for (service, file) in SERVICES {
        let Some(tools) = tools(service, file) else {
            return;
        };
        for task in all.iter().filter(|task| task.service == service) {
            for right in &task.right {
                let exists = tools.iter().any(|spec| spec.name.as_str() == right);
                assert!(exists, "{right} is no tool of {service}");
            }
        }
        let index = finder.index(&tools);
        for (set, right, number) in &mut counts {
            let tasks = all.iter();
            let tasks: Vec<&Task> = tasks
                .filter(|task| task.set == *set && task.service == service)
                .collect();
            let found = found(&*index, &tools, &tasks);
            println!("{service}, {set:?}: {found} of {}", tasks.len());
            *right += found;
            *number += tasks.len();
        }
    }
    for (set, right, number) in counts {
        println!(
            "{set:?}: the right tool is among the first {FIRST} for {right} of {number} tasks"
        );
    }
    assert_eq!(counts.map(|(_, _, number)| number), [200, 100, 100, 60]);
    for ((set, right, _), least) in counts.into_iter().zip(least) {
        assert!(right >= least, "{set:?}: {right}");
    }
}

#[test]
fn tasks_find_their_tools() {
    measure(&Finder::new(), [187, 89, 70, 53]);
}

/// Runs if `TOOLWRIGHT_MODEL` names the folder of a model.
#[test]
fn tasks_find_their_tools_by_their_meanings() {
    let Some(folder) = env::var_os("TOOLWRIGHT_MODEL") else {
        println!("skipped: TOOLWRIGHT_MODEL names no model");
        return;
    };
    let model = Embedder::open(folder.as_ref()).unwrap();
    measure(&Finder::with_model(model), [186, 92, 74, 53]);
}

#[tokio::test]
async fn the_page_has_the_cost_in_a_context() {
    let mut rows = String::new();
    for (service, file) in SERVICES {
        let Some(tools) = tools(service, file) else {
            return;
        };
        let cost = cost::cost(service, &tools).await;
        let _ = writeln!(
            rows,
            "| {service} | {} | {} | {} | {} | {} | {:.0} |",
            cost.tools,
            cost.list,
            cost.index,
            cost.search,
            cost.description,
            cost.list as f64 / (cost.index + cost.search + cost.description) as f64,
        );
    }
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{BEGIN}\n{TITLES}{rows}\n{END}{after}");
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(PAGE, &expected).unwrap();
    }
    assert!(
        fs::read_to_string(PAGE).unwrap() == expected,
        "run with UPDATE_EXPECT=1"
    );
}

#[test]
fn many_tools_are_searched() {
    let all = SERVICES.map(|(service, file)| tools(service, file));
    let all: Option<Vec<_>> = all.into_iter().collect();
    if let Some(all) = all {
        cost::search_many(&all.concat());
    }
}

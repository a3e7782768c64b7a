//! The cost of discovery in the context of a model, and the time of a search.

use std::{sync::Arc, time::Instant};

use toolwright::{
    Registry, Role, ServiceName, ToolSpec,
    audit::MemoryAudit,
    codec::json,
    discovery::Searcher as _,
    render::mcp::{self, OutputSchemas},
};
use toolwright_discovery::Finder;

use crate::tasks::tasks;

/// The number of tools that a search is measured with.
const MANY: usize = 100_000;

/// What an agent reads, in bytes of JSON.
#[derive(Debug)]
pub(crate) struct Cost {
    pub(crate) tools: usize,
    /// The whole list.
    pub(crate) list: usize,
    /// The list with discovery.
    pub(crate) index: usize,
    /// The average result of a search.
    pub(crate) search: usize,
    /// The average description of a tool.
    pub(crate) description: usize,
}

/// Measures the tools of one service.
pub(crate) async fn cost(service: &str, tools: &[Arc<ToolSpec>]) -> Cost {
    let registry = Registry::builder()
        .specs(tools.iter().map(|spec| ToolSpec::clone(spec)))
        .grant("anybody", "*")
        .enable("*")
        .audit(MemoryAudit::new())
        .discovery(Finder::new())
        .build()
        .unwrap();
    let view = registry.for_agent(&Role::new("anybody").unwrap());
    let of_service = tasks().into_iter().filter(|task| task.service == service);
    let (mut searches, mut descriptions) = (Vec::new(), Vec::new());
    for task in of_service {
        let search = json!({"query": task.text});
        let found = view.call_json("search-toolwright-tools", search).await;
        searches.push(found.unwrap().value.to_string().len());
        let asked = json!({"tool": task.right[0]});
        let described = view.call_json("describe-toolwright-tool", asked).await;
        descriptions.push(described.unwrap().value.to_string().len());
    }
    Cost {
        tools: tools.len(),
        list: length(&view.specs()),
        index: length(&view.shown()),
        search: average(&searches),
        description: average(&descriptions),
    }
}

fn length(specs: &[Arc<ToolSpec>]) -> usize {
    let tools = specs.iter();
    let lengths = tools.map(|spec| json!(mcp::tool(spec, OutputSchemas::Cut)).to_string().len());
    lengths.sum()
}

fn average(lengths: &[usize]) -> usize {
    lengths.iter().sum::<usize>() / lengths.len().max(1)
}

/// Prints the time of a search of many tools: copies of real ones, as of many services.
pub(crate) fn search_many(tools: &[Arc<ToolSpec>]) {
    let copies = (0..).flat_map(|copy| {
        let service = ServiceName::new(format!("service{copy}")).unwrap();
        tools.iter().map(move |spec| {
            Arc::new(ToolSpec {
                service: service.clone(),
                ..ToolSpec::clone(spec)
            })
        })
    });
    let many: Vec<_> = copies.take(MANY).collect();
    let begun = Instant::now();
    let index = Finder::new().index(&many);
    println!("an index of {MANY} tools took {:?}", begun.elapsed());
    let mut times: Vec<_> = tasks()
        .iter()
        .map(|task| {
            let begun = Instant::now();
            assert_eq!(index.search(&task.text, 5).len(), 5);
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
    println!("a search of {MANY} tools: median {median:?}, longest {longest:?}");
}

//! Searches the tools of an agent for a task.
//!
//! A [`Finder`] ranks tools by BM25 over the words of their names, descriptions and arguments. It knows
//! synonyms of common words, and finds words with typing errors. The same query over the same tools has
//! the same result.
//!
//! ```
//! # use std::sync::Arc;
//! # use toolwright::{Registry, Role, Tool, ToolSpec, audit::MemoryAudit, codec::json};
//! # fn spec(name: &str, short: &str) -> ToolSpec {
//! #     serde_json::from_value(json!({
//! #         "name": name, "service": "depot", "title": short, "short": short, "description": short,
//! #         "section": "Items", "category": "observe", "effect": "read", "approval_required": false,
//! #         "hints": {"readOnlyHint": true, "destructiveHint": false,
//! #                   "idempotentHint": true, "openWorldHint": false},
//! #         "enabled_by_default": true, "input_schema": {"type": "object"},
//! #         "binding": "native", "origin": {"document": "docs", "pointer": "/"}, "evidence": [],
//! #     }))
//! #     .unwrap()
//! # }
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! use toolwright_discovery::Finder;
//!
//! # let tools = (1..=20).map(|n| spec(&format!("count-depot-bin{n}"), "Counts what is in a bin."));
//! # let tools = tools.chain([spec("list-depot-items", "Lists the items.")]);
//! # let tools = tools.map(|spec| Tool::native(spec, |_, _| async { Ok(json!([])) }));
//! let registry = Registry::builder()
//!     .tools(tools)
//!     .grant("reader", "category:observe")
//!     .audit(Arc::new(MemoryAudit::new()))
//!     .discovery(Finder::new())
//!     .build()?;
//!
//! let reader = registry.for_agent(&Role::new("reader")?);
//! assert_eq!(reader.shown().len(), 3, "search, describe, and call a tool that reads");
//! let found = reader.call_json("search-toolwright-tools", json!({"query": "show all goods"})).await?;
//! assert_eq!(found.value["tools"][0]["name"], "list-depot-items");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "embeddings")]
mod embeddings;
mod finder;
mod index;
#[cfg(feature = "embeddings")]
mod meaning;
mod query;
mod synonyms;
mod tool_text;
mod typos;
mod words;

#[cfg(feature = "embeddings")]
pub use embeddings::{Embedder, EmbedderError};
pub use finder::Finder;

//! Writes the tools of a crate: as many as a large program has, with nothing to call them by.

use std::{env, error::Error, fs, path::Path};

/// The number of tools in each crate.
const TOOLS: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let crate_name = env::var("CARGO_PKG_NAME")?;
    let service = crate_name.rsplit('-').next().unwrap_or_default();
    let tools = (0..TOOLS).map(|number| {
        format!(
            "/// Lists the rows of table {number}.\n\
             #[toolwright::tool(name = \"list-{service}-rows-{number:03}\", category = observe, \
             roles(AgentRole::Reader))]\n\
             async fn list_rows_{number:03}(_: &toolwright::ToolContext, limit: Option<u32>) \
             -> Result<Vec<u32>, toolwright::ToolError> {{\n    \
             Ok((0..limit.unwrap_or({number})).collect())\n}}\n"
        )
    });
    let source: String = tools.collect();
    fs::write(Path::new(&env::var("OUT_DIR")?).join("tools.rs"), source)?;
    println!("cargo::rerun-if-changed=../build.rs");
    Ok(())
}

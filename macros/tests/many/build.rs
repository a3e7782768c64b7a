//! Writes the tools of a crate: as many as a large program has, with nothing to call them by.

use std::{env, fmt::Write, fs, path::Path};

/// How many tools each of the crates has.
const TOOLS: usize = 200;

fn main() {
    let crate_name = env::var("CARGO_PKG_NAME").expect("cargo gives it");
    let service = crate_name.rsplit('-').next().expect("it has a last word");
    let mut source = String::new();
    for number in 0..TOOLS {
        write!(
            source,
            "/// Lists the rows of table {number}.\n\
             #[toolwright::tool(name = \"list-{service}-rows-{number:03}\", category = observe, \
             roles(AgentRole::Reader))]\n\
             async fn list_rows_{number:03}(_: &toolwright::ToolContext, limit: Option<u32>) \
             -> Result<Vec<u32>, toolwright::ToolError> {{\n    \
             Ok((0..limit.unwrap_or({number})).collect())\n}}\n"
        )
        .expect("a text can be written to");
    }
    let folder = env::var("OUT_DIR").expect("cargo gives it");
    fs::write(Path::new(&folder).join("tools.rs"), source).expect("the folder can be written to");
    println!("cargo::rerun-if-changed=../build.rs");
}

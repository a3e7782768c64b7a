//! The `toolwright` command over the tools of the user's project.

use std::process::ExitCode;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(feature = "demonstration")]
    let tools = toolwright_generated::all();
    #[cfg(not(feature = "demonstration"))]
    let tools = [];
    toolwright_cli::run(tools)
}

//! The `toolwright` command over the adapters of `generated/`.

use std::process::ExitCode;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(feature = "linked")]
    let tools = toolwright_generated::all();
    #[cfg(not(feature = "linked"))]
    let tools = [];
    toolwright_cli::run(tools)
}

//! `toolwright approvals watch`: prints calls as they begin to wait.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use clap::Args;
use jiff::Timestamp;
use toolwright::approval::ApprovalStore as _;

use super::{ListedRequest, failure, sheet, store};
use crate::{Exit, Failure, context::Context, operator::runtime, output::FormatArguments};

/// Print the calls that wait, and each further one when it begins to wait
#[derive(Debug, Args)]
pub(super) struct WatchArguments {
    /// End after this time, rather than on Ctrl-C
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    #[command(flatten)]
    format: FormatArguments,
}

impl WatchArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let state = store(context)?;
        let limit = self.seconds.map(Duration::from_secs);
        let begun = Instant::now();
        runtime()?.block_on(async {
            let mut changes = state.changes().await?;
            let mut shown = BTreeSet::new();
            loop {
                let pending = state.pending(Timestamp::now()).await.map_err(failure)?;
                for request in &pending {
                    if !shown.insert(request.id.clone()) {
                        continue;
                    }
                    if self.format.is_json() {
                        context.output.json(&ListedRequest::from_request(request))?;
                    } else {
                        context.output.line(sheet::listed(request))?;
                    }
                    context.output.flush()?;
                }
                if limit.is_some_and(|limit| begun.elapsed() >= limit) {
                    return Ok(Exit::Done);
                }
                changes.next().await?;
            }
        })
    }
}

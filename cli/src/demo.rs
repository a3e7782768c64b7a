//! `toolwright demo`: the whole of Toolwright on a small real service, in one walk.
//!
//! It uses nothing that users do not have: the generator, the registry, `toolwright.toml`,
//! credentials in files, approvals and the audit.

mod boundary;
mod live;
mod scenes;
mod screen;
mod setting;
mod skill;
mod trail;

use clap::Args;

use crate::{Exit, Failure, commands::console::DEFAULT_PORT, context::Context, operator::runtime};
use scenes::Mishap;
use screen::Screen;
use setting::Setting;

/// Walk through everything on a small real service that comes along
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright demo\n  \
    toolwright demo --keep\n  \
    toolwright demo --console\n  \
    toolwright demo --json | jq '{role, tool, event, decision, reason}'")]
pub(crate) struct DemoArguments {
    /// Keep the folder of the demo: the adapters, the configuration, the audit
    #[arg(long)]
    keep: bool,

    /// Print the audit trail alone, one event a line
    #[arg(long)]
    json: bool,

    /// Serve the console over the demo instead, while agents keep calling
    #[arg(long, conflicts_with = "json")]
    console: bool,

    /// The port of the console; 0 takes any that is free [default: 7182]
    #[arg(long, value_name = "PORT", requires = "console")]
    port: Option<u16>,
}

impl DemoArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        runtime()?.block_on(async {
            let setting = Setting::new().await?;
            if self.console {
                let port = self.port.unwrap_or(DEFAULT_PORT);
                let served = live::run(&setting, port, context).await;
                setting.leave(self.keep).await?;
                return served.map(|()| Exit::Done);
            }
            let mut screen = if self.json {
                Screen::dark()
            } else {
                Screen::on(&mut context.output)
            };
            let told = walk(&setting, &mut screen, self.keep).await;
            let told = told.map_err(|mishap| screen.failure(mishap));
            if self.json {
                for event in setting.trail()? {
                    context.output.json(&event)?;
                }
            }
            setting.leave(self.keep).await?;
            told.map(|()| Exit::Done)
        })
    }
}

/// Tells everything, in order.
async fn walk(setting: &Setting, screen: &mut Screen<'_>, keep: bool) -> Result<(), Mishap> {
    scenes::opening(setting, screen)?;
    scenes::what_was_generated(setting, screen)?;
    scenes::what_a_reader_sees(setting, screen)?;
    scenes::a_read_that_works(setting, screen).await?;
    scenes::a_write_that_is_refused(setting, screen).await?;
    scenes::a_create_that_waits(setting, screen).await?;
    boundary::a_scope(setting, screen).await?;
    boundary::a_switch(setting, screen).await?;
    boundary::a_standing_grant(setting, screen).await?;
    skill::a_skill(setting, screen).await?;
    scenes::the_audit_trail(setting, screen)?;
    scenes::closing(setting, screen, keep)
}

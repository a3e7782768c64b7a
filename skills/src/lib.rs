//! Skills: proven sequences of calls, each as one governed tool.
//!
//! A skill is a folder with a `skill.toml`: parameters, and steps that call tools. The steps are data, so
//! a skill can do nothing but call tools through its caller's own view. A script in place of steps runs in a
//! sandbox, and can do nothing more. Its governance follows from its
//! steps, and agents are offered it only while a person has activated exactly these bytes.
//!
//! - [`Skill::read`] reads the file, and [`check`] compares it with the tools that it calls.
//! - [`governance`] computes the record of the tool that a skill is.
//! - [`run`] interprets the steps.
//! - [`Sequence`] is what skills share with other tools of steps: [`check_sequence`], [`Floor`] and
//!   [`run_as_caller`] check it, compute its governance and run it.
//! - [`SkillSet`] holds the skills of a program, as tools for a registry.
//! - [`standing`] moves a skill from proposed to retired.
//! - [`propose`] finds sequences of calls in an audit that could be skills.
//!
//! `docs/skills.md` describes the format.

mod caller;
mod check;
mod digest;
mod format;
mod governance;
mod library;
pub mod propose;
pub mod run;
mod schema;
mod sequence;
mod set;
pub mod standing;
mod template;
pub mod trial;

pub use caller::run_as_caller;
pub use check::{KnownTools, check, check_sequence};
pub use format::{SCRIPT, Script, Skill, SkillError, check_name};
pub use governance::{Floor, NoTool, governance, output_schema};
pub use library::{FILE, Found, find, locate};
pub use schema::{json_schema, returns_schema, steps_schema};
pub use sequence::{Condition, Each, Parameter, Sequence, Step, Test};
pub use set::{LoadedSkill, SkillSet};
pub use template::{Hole, Source, Template};

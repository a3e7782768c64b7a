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
//! - [`SkillSet`] holds the skills of a program, as tools for a registry.
//! - [`standing`] moves a skill from proposed to retired.
//! - [`propose`] finds sequences of calls in an audit that could be skills.
//!
//! `docs/skills.md` describes the format.

mod check;
mod digest;
mod format;
mod governance;
mod library;
pub mod propose;
pub mod run;
mod schema;
mod set;
pub mod standing;
mod template;
pub mod trial;

pub use check::{KnownTools, check};
pub use format::{
    Condition, Each, Parameter, SCRIPT, Script, Skill, SkillError, Step, Test, check_name,
};
pub use governance::{NoTool, governance};
pub use library::{FILE, Found, find, locate};
pub use schema::json_schema;
pub use set::{LoadedSkill, SkillSet};
pub use template::{Hole, Source, Template};

//! The script of a skill: `run.sh` next to its file, and the keys that belong to it.

use toolwright::{
    ToolName,
    config::{
        Place, Placed,
        reader::{ConfigReader, TomlNode},
    },
};
use toolwright_model::{
    settings::{Node as _, Reader as _},
    text::has_invisible,
};

use super::LONGEST_FILE;
use crate::sequence::MOST_STEPS;

/// The name of the script of a skill, next to its file.
pub const SCRIPT: &str = "run.sh";

/// The time of a run, in seconds, if the file has none.
const DEFAULT_SECONDS: u64 = 60;

/// The longest time of a run, in seconds.
pub(crate) const MOST_SECONDS: u64 = 3600;

/// The script of a skill. It runs in a sandbox, and can do nothing there but compute and call tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// `tools`: the tools that it may call, in the order of the file.
    pub tools: Vec<Placed<ToolName>>,
    /// `seconds`: the longest time of a run.
    pub seconds: u64,
    /// The content of `run.sh`.
    pub text: String,
}

/// Reads the keys of a skill with a script. `text` is the content of `run.sh`, if there is one. Returns none
/// for a skill of steps.
pub(super) fn script(
    document: TomlNode<'_>,
    text: Option<&str>,
    reader: &mut ConfigReader,
) -> Option<Script> {
    let tools = document.value_of("tools");
    if tools.is_none() && text.is_none() {
        if let Some(seconds) = document.value_of("seconds") {
            let help = format!("remove the line: only a skill with a `{SCRIPT}` has it");
            reader.problem(seconds.place(), "`seconds` has no script", &help);
        }
        return None;
    }
    for key in ["steps", "returns"] {
        if let Some(node) = document.value_of(key) {
            let message = format!("a skill with a script has no `{key}`");
            let help = match key {
                "steps" => format!("remove the steps, or `tools` and `{SCRIPT}`"),
                _ => "print the result, as JSON, in the script".to_owned(),
            };
            reader.problem(node.place(), &message, &help);
        }
    }
    let help = "add `tools = [\"…\"]`, all tools that the script calls";
    reader.require(document, "tools", help);
    let listed: Vec<Placed<ToolName>> = reader.parsed_list(document, "tools");
    if let Some(tools) = tools {
        check_tools(tools, &listed, reader);
    }
    let seconds = reader.number(document, "seconds", 1..=MOST_SECONDS);
    let text = check_text(document.place(), text, reader)?;
    Some(Script {
        tools: listed,
        seconds: seconds.map_or(DEFAULT_SECONDS, |seconds| seconds.value),
        text: text.to_owned(),
    })
}

fn check_tools(node: TomlNode<'_>, tools: &[Placed<ToolName>], reader: &mut ConfigReader) {
    let number = node.elements().map_or(0, |elements| elements.len());
    if number == 0 || number > MOST_STEPS {
        let message = format!("a script calls 1 to {MOST_STEPS} tools, and this lists {number}");
        reader.problem(node.place(), &message, "list the tools that it calls");
    }
    for (index, tool) in tools.iter().enumerate() {
        let earlier = tools.iter().take(index);
        if earlier.into_iter().any(|other| other.value == tool.value) {
            let message = format!("`{}` is listed twice", tool.value);
            reader.problem(tool.place.clone(), &message, "remove one of them");
        }
    }
}

/// Checks the script as a person reads it: it has no character that the person does not see.
fn check_text<'t>(
    place: Place,
    text: Option<&'t str>,
    reader: &mut ConfigReader,
) -> Option<&'t str> {
    let Some(text) = text else {
        let message = format!("there is no `{SCRIPT}` next to the file");
        reader.problem(
            place,
            &message,
            "write it, or add `[[steps]]` and remove `tools`",
        );
        return None;
    };
    let (message, help) = if text.trim().is_empty() {
        (format!("`{SCRIPT}` is empty"), "write the script")
    } else if text.len() > LONGEST_FILE {
        (format!("`{SCRIPT}` has more than 256 KiB"), "shorten it")
    } else if let Some(line) = text.split('\n').position(has_invisible) {
        let message = format!("`{SCRIPT}` has an invisible character in line {}", line + 1);
        (message, "write visible characters: a person reviews them")
    } else {
        return Some(text);
    };
    reader.problem(place, &message, help);
    None
}

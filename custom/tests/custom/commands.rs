//! Tools that run a command.

use crate::support::{COMMAND, TOOL, check_faults, read};

#[test]
fn every_fault_of_a_command_has_a_place_and_a_fix() {
    let replaced = [
        ("[command]", "[comand]", "1:1", "nothing says how calls"),
        ("[command]", "[comand]", "21:2", "command"),
        ("[command]", "[http]\n[command]", "22:1", "has one of"),
        ("folder = \"notes\"", "returns = 1", "24:1", "unknown key"),
        (
            "category =",
            "returns = 1\ncategory =",
            "4:11",
            "only a tool of steps",
        ),
        ("program = \"/usr/bin/wc\"\n", "", "21:1", "no `program`"),
        (
            "\"/usr/bin/wc\"",
            "\"wc\"",
            "22:11",
            "not the absolute path",
        ),
        (
            "\"/usr/bin/wc\"",
            "\"/usr/../bin/wc\"",
            "22:11",
            "not the absolute path",
        ),
        (
            "\"/usr/bin/wc\"",
            "\"/usr/bin/{note}\"",
            "22:11",
            "not fixed",
        ),
        (
            "\"/usr/bin/wc\"",
            "\"/usr/bin/\\u200bwc\"",
            "22:11",
            "not the absolute path",
        ),
        ("\"/usr/bin/wc\"", "[\"wc\"]", "22:11", "a string"),
        ("[\"-w\"", "[7", "23:14", "a string"),
        ("\"-w\"", "\"-w\\n\"", "23:14", "control character"),
        (
            "{note:path}",
            "--file={note:path}",
            "23:20",
            "one value as a whole",
        ),
        (
            "{note:path}",
            "{note:path} {lines}",
            "23:20",
            "one value as a whole",
        ),
        ("{note:path}", "{no", "23:20", "one value as a whole"),
        ("{note:path}", "{town:path}", "23:20", "no argument `town`"),
        ("{note:path}", "{note:file}", "23:20", "unknown type `file`"),
        ("{note:path}", "{note:a|-b}", "23:20", "not a word"),
        ("{lines}", "{lines:path}", "23:35", "of the type `number`"),
        (
            ", \"{lines}\"",
            "",
            "10:12",
            "no part of the command contains the argument `lines`",
        ),
        (
            "\"A number.\"",
            "\"A number.\"\noptional = true",
            "24:35",
            "is optional",
        ),
        (
            "type = \"integer\"",
            "type = \"boolean\"",
            "23:35",
            "a string or an integer",
        ),
        (
            "folder = \"notes\"",
            "folder = \"../notes\"",
            "24:10",
            "not a folder",
        ),
        (
            "folder = \"notes\"",
            "folder = \"/notes\"",
            "24:10",
            "not a folder",
        ),
        (
            "folder = \"notes\"",
            "folder = \".local\"",
            "24:10",
            "not a folder",
        ),
        (
            "folder = \"notes\"",
            "read = [\"notes\"]",
            "24:9",
            "not an absolute path",
        ),
        (
            "folder = \"notes\"",
            "execute = [\"/opt/../x\"]",
            "24:12",
            "not an absolute path",
        ),
        (
            "folder = \"notes\"",
            "write = [\"out\"]",
            "24:9",
            "`observe` writes files",
        ),
        (
            "folder = \"notes\"",
            "write = [\"tools\"]",
            "24:10",
            "cannot write `tools`",
        ),
        (
            "folder = \"notes\"",
            "write = [\".git\"]",
            "24:10",
            "cannot write `.git`",
        ),
        ("COLOUR =", "\"CO LOUR\" =", "25:17", "not a variable"),
        ("\"token\"", "\"tokens\"", "26:25", "token"),
        ("{ TOKEN =", "{ COLOUR =", "26:26", "in `environment` too"),
        ("[443]", "[0]", "27:10", "from 1 to 65535"),
        ("seconds = 10", "seconds = 0", "28:11", "1"),
        ("seconds = 10", "seconds = 9999", "28:11", "3600"),
        (
            "[scope.seconds]",
            "[scope.hours]",
            "19:9",
            "not a limit of a command",
        ),
        (
            "check = \"limit\"",
            "check = \"limit\"\nargument = \"note\"",
            "20:12",
            "checks no argument",
        ),
        ("argument = \"note\"", "", "14:1", "no `argument`"),
    ];
    check_faults(COMMAND, &[], &replaced);
    let limit_of_request = TOOL.replace("[http]", "[scope.seconds]\ncheck = \"limit\"\n[http]");
    let problem = read(&limit_of_request).unwrap_err();
    assert!(problem.contains("only a command has limits"), "{problem}");
}

#[test]
fn all_faults_of_a_file_are_reported_at_once() {
    let broken = COMMAND
        .replace("\"/usr/bin/wc\"", "\"wc\"")
        .replace("[443]", "[0]")
        .replace("\"observe\"", "\"approve\"")
        .replace("{note:path}", "{town}");
    let problems = read(&broken).unwrap_err();
    for part in ["approval", "`wc`", "65535", "`town`"] {
        assert!(problems.contains(part), "{part}:\n{problems}");
    }
}

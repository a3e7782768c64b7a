//! Where in a schema something is, for programs and for people.

use super::side::Side;

/// A place in the schema of a tool, or in one that several share.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) pointer: String,
    root: Root,
    /// The way from the root: `filter.owner`, `[].title`.
    way: String,
}

#[derive(Clone, Debug)]
enum Root {
    Arguments,
    Result,
    Definition {
        side: Side,
        name: String,
        was: String,
    },
}

impl Place {
    pub(super) fn root(side: Side) -> Self {
        let (pointer, root) = match side {
            Side::Argument => ("/input_schema", Root::Arguments),
            Side::Result => ("/output_schema", Root::Result),
        };
        Self {
            pointer: pointer.to_owned(),
            root,
            way: String::new(),
        }
    }

    pub(super) fn definition(side: Side, was: &str, name: &str) -> Self {
        Self {
            pointer: format!("/$defs/{}", escaped(name)),
            root: Root::Definition {
                side,
                name: name.to_owned(),
                was: was.to_owned(),
            },
            way: String::new(),
        }
    }

    /// The pointer of a keyword.
    pub(super) fn below(&self, keyword: &str) -> String {
        format!("{}/{keyword}", self.pointer)
    }

    /// A field of an object.
    pub(super) fn field(&self, name: &str) -> Self {
        let dot = if self.way.is_empty() { "" } else { "." };
        self.step(
            &format!("properties/{}", escaped(name)),
            &format!("{dot}{name}"),
        )
    }

    /// The fields whose names fit a keyword, rather than being listed.
    pub(super) fn other_fields(&self, keyword: &str) -> Self {
        let dot = if self.way.is_empty() { "" } else { "." };
        self.step(keyword, &format!("{dot}*"))
    }

    /// The items of a list, below a keyword.
    pub(super) fn items(&self, keyword: &str) -> Self {
        self.step(keyword, "[]")
    }

    /// The same value, below a keyword if there is one.
    pub(super) fn same(&self, keyword: &str) -> Self {
        match keyword {
            "" => self.clone(),
            keyword => self.step(keyword, ""),
        }
    }

    fn step(&self, pointer: &str, way: &str) -> Self {
        Self {
            pointer: format!("{}/{pointer}", self.pointer),
            root: self.root.clone(),
            way: format!("{}{way}", self.way),
        }
    }

    /// The place in words: argument `filter.owner`.
    pub(super) fn words(&self) -> String {
        let way = &self.way;
        match &self.root {
            Root::Arguments if way.is_empty() => "the set of arguments".to_owned(),
            Root::Arguments => format!("argument `{way}`"),
            Root::Result if way.is_empty() => "the result".to_owned(),
            Root::Result => format!("result `{way}`"),
            Root::Definition { side, name, was } => {
                let dot = if way.is_empty() || way.starts_with('[') {
                    ""
                } else {
                    "."
                };
                let side = match side {
                    Side::Argument => "argument",
                    Side::Result => "result",
                };
                let renamed = if was == name {
                    String::new()
                } else {
                    format!(" (`{was}` before)")
                };
                format!("{side} `{name}{dot}{way}`{renamed}")
            }
        }
    }
}

/// A step of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

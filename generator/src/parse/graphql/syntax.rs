//! The syntax of GraphQL: the parser with its limits, and the parts that schemas and operations share.

use apollo_parser::{
    Parser, SyntaxTree,
    cst::{self, CstNode},
};
use serde_json::{Map, Value};

use super::model::{TypeRef, Wrapper};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId},
};

/// The greatest nesting of selections, types and values.
pub(super) const DEEPEST: usize = 100;

/// The most tokens of a document. The largest public schema has some 300,000.
pub(super) const MOST_TOKENS: usize = 8_000_000;

/// The most faults of syntax that are reported for one document.
const MOST_FAULTS: usize = 50;

/// A document of GraphQL with its source.
pub(super) struct Syntax {
    source: SourceId,
    tree: SyntaxTree<cst::Document>,
}

impl Syntax {
    /// Parses a document, and reports every fault of its syntax.
    pub(super) fn parse(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Self {
        let parser = Parser::new(text);
        let tree = parser
            .recursion_limit(DEEPEST)
            .token_limit(MOST_TOKENS)
            .parse();
        for error in tree.errors().take(MOST_FAULTS) {
            let start = error.index().min(text.len());
            let place = Place::new(source, start, start + error.data().len().min(1));
            diagnostics.report(if error.is_limit() {
                let message = format!(
                    "this document has more than {MOST_TOKENS} tokens, or is nested more than {DEEPEST} levels deep"
                );
                Diagnostic::error(Code::TooDeep, place, message)
                    .help("name inner parts, and refer to them")
            } else {
                Diagnostic::error(Code::Syntax, place, plain(error.message()))
            });
        }
        Self { source, tree }
    }

    /// Checks whether the syntax has faults.
    pub(super) fn has_faults(&self) -> bool {
        self.tree.errors().len() > 0
    }

    pub(super) fn definitions(&self) -> impl Iterator<Item = cst::Definition> {
        self.tree.document().definitions()
    }

    /// Returns the text of a name with its span.
    pub(super) fn name(&self, name: Option<cst::Name>) -> Option<(String, Place)> {
        let name = name?;
        let text = name.text().as_str().to_owned();
        let start = usize::from(name.syntax().text_range().start());
        let place = Place::new(self.source, start, start + text.len());
        (!text.is_empty()).then_some((text, place))
    }

    /// Returns the span of a node.
    pub(super) fn place(&self, node: &impl CstNode) -> Place {
        let range = node.syntax().text_range();
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        Place::new(self.source, start, end)
    }

    /// Reads a reference to a type.
    pub(super) fn type_ref(&self, ty: Option<cst::Type>) -> Option<TypeRef> {
        let mut ty = ty?;
        let mut wrappers = Vec::new();
        loop {
            let named = match ty {
                cst::Type::NamedType(named) => named,
                cst::Type::ListType(list) => {
                    wrappers.push(Wrapper::List);
                    ty = list.ty()?;
                    continue;
                }
                cst::Type::NonNullType(inner) => {
                    wrappers.push(Wrapper::NonNull);
                    match (inner.named_type(), inner.list_type()) {
                        (Some(named), _) => named,
                        (None, Some(list)) => {
                            ty = cst::Type::ListType(list);
                            continue;
                        }
                        (None, None) => return None,
                    }
                }
            };
            let (name, place) = self.name(named.name())?;
            return Some(TypeRef {
                name,
                place,
                wrappers,
            });
        }
    }
}

/// Returns the text of a description.
pub(super) fn described(description: Option<cst::Description>) -> Option<String> {
    let text: String = (&description?.string_value()?).into();
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Returns the directive of a name.
pub(super) fn directive(directives: Option<cst::Directives>, name: &str) -> Option<cst::Directive> {
    let mut directives = directives?.directives();
    directives.find(|directive| directive.name().is_some_and(|own| own.text() == name))
}

/// Returns a constant value as JSON; null for one that JSON cannot represent.
pub(super) fn constant(value: &cst::Value) -> Value {
    match value {
        cst::Value::StringValue(text) => Value::String(text.into()),
        cst::Value::IntValue(number) => {
            let text = number.syntax().text().to_string();
            text.trim().parse::<i64>().map_or(Value::Null, Value::from)
        }
        cst::Value::FloatValue(number) => f64::try_from(number).map_or(Value::Null, Value::from),
        cst::Value::BooleanValue(boolean) => boolean.true_token().is_some().into(),
        cst::Value::EnumValue(word) => word.name().map_or(Value::Null, |name| {
            Value::String(name.text().as_str().to_owned())
        }),
        cst::Value::ListValue(list) => list.values().map(|item| constant(&item)).collect(),
        cst::Value::ObjectValue(object) => {
            let fields = object.object_fields().filter_map(|field| {
                let name = field.name()?.text().as_str().to_owned();
                Some((name, constant(&field.value()?)))
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        cst::Value::NullValue(_) | cst::Value::Variable(_) => Value::Null,
    }
}

/// The names of tokens in the messages of the parser, and what they are in a document.
const TOKENS: &[(&str, &str)] = &[
    ("R_CURLY", "`}`"),
    ("L_CURLY", "`{`"),
    ("R_PAREN", "`)`"),
    ("L_PAREN", "`(`"),
    ("R_BRACK", "`]`"),
    ("L_BRACK", "`[`"),
    ("COLON", "`:`"),
    ("EQ", "`=`"),
    ("EOF", "the end of the file"),
    (
        "a StringValue, Name or OperationDefinition",
        "a description or a definition",
    ),
];

/// Returns the message of the parser as the messages of this project are: in lower case, without a
/// final stop, and with the characters of the document.
fn plain(message: &str) -> String {
    let mut message = message.to_owned();
    if let Some((before, found)) = message.split_once(", got ") {
        let is_name = TOKENS.iter().any(|(name, _)| *name == found);
        if !is_name {
            message = format!("{before}, found `{}`", found.trim());
        }
    }
    for (name, text) in TOKENS {
        message = message.replace(name, text);
    }
    let message = message.replace(", got ", ", found ");
    let mut letters = message.trim_end_matches('.').chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    let message: String = first.into_iter().chain(letters).take(200).collect();
    message
}

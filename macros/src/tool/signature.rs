//! The signature that a tool has: `async fn(ctx: &ToolContext, input: INPUT) -> Result<OUTPUT, ToolError>`.

use proc_macro2::{Span, TokenStream};
use syn::{GenericParam, Ident, ReturnType, Type, spanned::Spanned};

use super::function::{Parameter, ToolFunction};
use crate::problems::{Problem, Problems};

/// A signature without a problem, as far as tokens tell; the types are the compiler's to check.
pub(super) struct Signature {
    /// The place of the context's type.
    pub(super) context: Span,
    /// The input; none when the tool has no arguments.
    pub(super) input: Option<Box<Type>>,
    /// What the function returns, a `Result`.
    pub(super) output: Box<Type>,
}

/// Checks the signature.
pub(super) fn check(function: ToolFunction, problems: &mut Problems) -> Option<Signature> {
    check_qualifiers(&function, problems);
    check_generics(&function, problems);
    let output = problems.keep(output_of(function.output, &function.name));
    let parameters = problems.keep(parameters_of(function.parameters, &function.name));
    let (context, input) = parameters?;
    Some(Signature {
        context,
        input,
        output: output?,
    })
}

fn check_qualifiers(function: &ToolFunction, problems: &mut Problems) {
    if !function.is_async {
        problems.add(
            Problem::at(function.fn_token.span, "a tool is an `async fn`")
                .help("write `async fn`; work that blocks belongs on a thread of its own"),
        );
    }
    for qualifier in &function.refused_qualifiers {
        problems.add(
            Problem::on(qualifier, format!("a tool is not `{qualifier}`"))
                .note("the registry calls it with arguments that come from an agent")
                .help(format!("leave out `{qualifier}`")),
        );
    }
}

fn check_generics(function: &ToolFunction, problems: &mut Problems) {
    let generic = function
        .generics
        .params
        .iter()
        .find(|parameter| !matches!(parameter, GenericParam::Lifetime(_)));
    if let Some(parameter) = generic {
        problems.add(
            Problem::on(parameter, "a tool is not generic")
                .note(ONE_SCHEMA)
                .help("write the type itself, and one function a tool"),
        );
    }
}

fn output_of(output: ReturnType, name: &Ident) -> Result<Box<Type>, Problem> {
    match output {
        ReturnType::Type(_, output) => Ok(output),
        ReturnType::Default => Err(Problem::on(name, "the tool returns nothing")
            .note("the caller is told what a call did, or why it failed")
            .help(
                "write `-> Result<OUTPUT, ToolError>`, where `OUTPUT` derives `serde::Serialize`",
            )),
    }
}

/// The place of the context's type, and the type of the input where there is one.
fn parameters_of(
    parameters: Vec<Parameter>,
    name: &Ident,
) -> Result<(Span, Option<Box<Type>>), Problem> {
    let mut parameters = parameters.into_iter();
    let context = match parameters.next() {
        Some(Parameter::Typed { ty, .. }) if matches!(*ty, Type::Reference(_)) => ty.span(),
        Some(Parameter::Receiver(receiver)) => return Err(receiver_refused(receiver)),
        Some(other) => return Err(context_expected(Problem::on(other, NO_CONTEXT))),
        None => return Err(context_expected(Problem::on(name, NO_CONTEXT))),
    };
    let input = match parameters.next() {
        Some(Parameter::Typed { ty, .. }) => Some(checked_input(ty)?),
        Some(Parameter::Receiver(receiver)) => return Err(receiver_refused(receiver)),
        None => None,
    };
    match parameters.next() {
        Some(more) => Err(one_input(more)),
        None => Ok((context, input)),
    }
}

fn checked_input(input: Box<Type>) -> Result<Box<Type>, Problem> {
    match *input {
        Type::ImplTrait(_) => Err(Problem::on(input, "a tool is not generic")
            .note(ONE_SCHEMA)
            .help("write the type itself")),
        Type::Reference(_) => Err(Problem::on(input, "the input of a tool is not borrowed")
            .note("it is made of the call's arguments and belongs to the function")
            .help("write the type without `&`; it is a struct whose fields are the arguments")),
        _ => Ok(input),
    }
}

const NO_CONTEXT: &str = "the first parameter of a tool is its context";

const ONE_SCHEMA: &str = "one tool has one input schema, which needs one input type";

fn context_expected(problem: Problem) -> Problem {
    problem
        .note("it says who calls, and under which id the call is in the audit")
        .help("write `ctx: &ToolContext` first, or `_: &ToolContext` where it is not needed")
}

fn one_input(more: Parameter) -> Problem {
    Problem::on(more, "a tool has one input")
        .note("its fields are the arguments, and its documentation describes them to the agent")
        .help("put the arguments into one struct that derives `serde::Deserialize` and `schemars::JsonSchema`")
}

fn receiver_refused(receiver: TokenStream) -> Problem {
    Problem::on(receiver, "a tool has no `self`")
        .note("the registry calls it without a value of the type")
        .help("write a free function; what it needs can be a `static`, or a field of its input")
}

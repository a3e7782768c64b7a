//! The signature that a tool has: `async fn(ctx: &ToolContext, input: INPUT) -> Result<OUTPUT, ToolError>`.

use syn::{GenericParam, ReturnType, Type, spanned::Spanned};

use super::function::{Parameter, ToolFunction};
use crate::problems::{Problem, Problems};

/// A signature without a problem, as far as tokens tell; the types are the compiler's to check.
pub(super) struct Signature {
    /// The input; none when the tool has no arguments.
    pub(super) input: Option<Box<Type>>,
    /// What the function returns, a `Result`.
    pub(super) output: Box<Type>,
}

/// Checks the signature.
pub(super) fn check(function: ToolFunction, problems: &mut Problems) -> Option<Signature> {
    check_qualifiers(&function, problems);
    check_generics(&function, problems);
    let name = &function.name;
    let output = problems.keep(match function.output {
        ReturnType::Type(_, output) => Ok(output),
        ReturnType::Default => Err(Problem::on(name, "the tool returns nothing")
            .note("the caller is told what a call did, or why it failed")
            .help("write `-> Result<OUTPUT, ToolError>`; `OUTPUT` derives `serde::Serialize`")),
    });
    let input = problems.keep(check_parameters(function.parameters, name));
    Some(Signature {
        input: input?,
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
                .note("one tool has one input schema, which needs one input type")
                .help("write the type itself, and one function a tool"),
        );
    }
}

/// The type of the input, where there is one.
fn check_parameters(
    parameters: Vec<Parameter>,
    name: &syn::Ident,
) -> Result<Option<Box<Type>>, Problem> {
    let mut parameters = parameters.into_iter();
    match parameters.next() {
        Some(Parameter::Typed { ty, .. }) if matches!(*ty, Type::Reference(_)) => {}
        Some(Parameter::Receiver(receiver)) => return Err(receiver_refused(receiver)),
        first => {
            let message = "the first parameter of a tool is its context";
            let problem = first.map_or_else(
                || Problem::on(name, message),
                |first| Problem::on(first, message),
            );
            return Err(problem
                .note("it says who calls, and under which id the call is in the audit")
                .help(
                    "write `ctx: &ToolContext` first, or `_: &ToolContext` where it is not needed",
                ));
        }
    }
    let input = match parameters.next() {
        None => return Ok(None),
        Some(Parameter::Receiver(receiver)) => return Err(receiver_refused(receiver)),
        Some(Parameter::Typed { ty, .. }) => ty,
    };
    if let Some(more) = parameters.next() {
        return Err(Problem::on(more, "a tool has one input")
            .note("its fields are the arguments, and its documentation describes them to the agent")
            .help("put the arguments into one struct that derives `serde::Deserialize` and `schemars::JsonSchema`"));
    }
    match &*input {
        Type::ImplTrait(_) => Err(Problem::at(input.span(), "a tool is not generic")
            .note("one tool has one input schema, which needs one input type")
            .help("write the type itself")),
        _ => Ok(Some(input)),
    }
}

fn receiver_refused(receiver: proc_macro2::TokenStream) -> Problem {
    Problem::on(receiver, "a tool has no `self`")
        .note("the registry calls it without a value of the type")
        .help("write a free function; what it needs can be a `static`, or a field of its input")
}

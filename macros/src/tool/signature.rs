//! The signature of a tool: `async fn(ctx: &ToolContext, …) -> Result<OUTPUT, ToolError>`, with
//! `&self` first if it is a method.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, GenericParam, Ident, ReturnType, Type, TypeReference, ext::IdentExt, parse::Parser,
};

use super::{
    documentation,
    function::{Parameter, ToolFunction},
};
use crate::problems::{Problem, Problems};

/// A signature without a problem, as far as tokens show; the compiler checks the types.
pub(super) struct Signature {
    /// True if it is called on a value of its type.
    pub(super) has_receiver: bool,
    /// The type that the first parameter refers to.
    pub(super) context: Box<Type>,
    /// The parameters after it.
    pub(super) input: Input,
    /// The return type, a `Result`.
    pub(super) output: Box<Type>,
}

/// The parameters after the context.
pub(super) enum Input {
    /// Nothing.
    Nothing,
    /// One value: all arguments, or the only one.
    One(Argument),
    /// Several arguments.
    Named(Vec<Argument>),
}

/// A parameter after the context.
pub(super) struct Argument {
    /// The name; empty if the parameter is a pattern.
    pub(super) name: String,
    /// Its documentation; empty if there is none.
    pub(super) description: String,
    pub(super) ty: Box<Type>,
}

/// Checks the signature of a function, or of a method.
pub(super) fn check(
    function: ToolFunction,
    is_method: bool,
    problems: &mut Problems,
) -> Option<Signature> {
    check_qualifiers(&function, problems);
    check_generics(&function, problems);
    let output = problems.keep(output_of(function.output, &function.name));
    let mut parameters = function.parameters.into_iter().peekable();
    let receiver = parameters.next_if(|parameter| matches!(parameter, Parameter::Receiver(_)));
    let has_receiver = receiver.is_some();
    if let Some(Parameter::Receiver(receiver)) = receiver {
        problems.keep(check_receiver(receiver, is_method));
    }
    let context = problems.keep(context_of(parameters.next(), &function.name))?;
    let input = input_of(parameters.collect(), problems);
    Some(Signature {
        has_receiver,
        context,
        input,
        output: output?,
    })
}

fn check_qualifiers(function: &ToolFunction, problems: &mut Problems) {
    if !function.is_async {
        problems.add(
            Problem::at(function.fn_token.span, "a tool must be an `async fn`")
                .note("the registry runs the calls of many agents concurrently")
                .help("write `async fn`, and run blocking work on a separate thread"),
        );
    }
    for qualifier in &function.refused_qualifiers {
        problems.add(
            Problem::on(qualifier, format!("a tool cannot be `{qualifier}`"))
                .note("the registry calls the tool with arguments from an agent")
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
            Problem::on(parameter, "a tool cannot be generic")
                .note(ONE_SCHEMA)
                .help("use a concrete type, and write one function for each tool"),
        );
    }
}

fn output_of(output: ReturnType, name: &Ident) -> Result<Box<Type>, Problem> {
    match output {
        ReturnType::Type(_, output) => Ok(output),
        ReturnType::Default => Err(Problem::on(name, "a tool must return a `Result`")
            .note("the caller receives the result of the call or the reason for its failure")
            .help(
                "write `-> Result<OUTPUT, ToolError>`, where `OUTPUT` derives `serde::Serialize`",
            )),
    }
}

/// A method takes `&self`, and a function takes no `self`.
fn check_receiver(receiver: TokenStream, is_method: bool) -> Result<(), Problem> {
    if !is_method {
        return Err(Problem::on(receiver, "a method with `#[tool]` must be in a `#[tools]` block")
            .note("the registry calls the method on a value, and `#[tools]` registers the type of that value")
            .help("add `#[tools]` above the `impl` block, and keep `#[tool(…)]` here"));
    }
    let is_shared = receiver
        .clone()
        .into_iter()
        .enumerate()
        .all(|(at, token)| match token {
            TokenTree::Punct(punct) => matches!((at, punct.as_char()), (0, '&') | (1, '\'')),
            TokenTree::Ident(word) => at > 0 && word != "mut",
            _ => false,
        });
    if is_shared {
        return Ok(());
    }
    Err(Problem::on(receiver, "a tool must take `&self`")
        .note("calls run concurrently on the one value that the registry was given")
        .help("write `&self`, and protect the state that a call changes with a lock"))
}

/// Returns the type that the first parameter refers to.
fn context_of(parameter: Option<Parameter>, name: &Ident) -> Result<Box<Type>, Problem> {
    let problem = match parameter {
        Some(Parameter::Typed {
            ty,
            pattern,
            attributes,
        }) => match *ty {
            Type::Reference(TypeReference {
                elem,
                mutability: None,
                ..
            }) => return Ok(elem),
            other => Problem::on(
                Parameter::Typed {
                    ty: Box::new(other),
                    pattern,
                    attributes,
                },
                NO_CONTEXT,
            ),
        },
        Some(other) => Problem::on(other, NO_CONTEXT),
        None => Problem::on(name, NO_CONTEXT),
    };
    Err(problem
        .note("the context identifies the caller and the call's id in the audit log")
        .help("write `ctx: &ToolContext` first, or `_: &ToolContext` if the tool does not use it"))
}

fn input_of(parameters: Vec<Parameter>, problems: &mut Problems) -> Input {
    let has_several = parameters.len() > 1;
    let mut arguments: Vec<_> = parameters
        .into_iter()
        .filter_map(|parameter| problems.keep(argument_of(parameter, has_several)))
        .collect();
    match arguments.pop() {
        None => Input::Nothing,
        Some(only) if !has_several => Input::One(only),
        Some(last) => {
            arguments.push(last);
            Input::Named(arguments)
        }
    }
}

fn argument_of(parameter: Parameter, must_be_named: bool) -> Result<Argument, Problem> {
    let (attributes, pattern, ty) = match parameter {
        Parameter::Typed {
            attributes,
            pattern,
            ty,
        } => (attributes, pattern, ty),
        // Rustc itself reports that `self` must be the first parameter.
        Parameter::Receiver(receiver) => {
            return Err(Problem::on(receiver, "`self` must be the first parameter")
                .note("the registry calls a method on a value of its type")
                .help("write `&self`, before the context"));
        }
    };
    check_type(&ty)?;
    let name = name_of(&pattern);
    if name.is_none() && must_be_named {
        return Err(
            Problem::on(pattern, "an argument of a tool must have a name")
                .note("agents pass the argument under this name")
                .help("write `NAME: TYPE`, and destructure the value in the function body"),
        );
    }
    Ok(Argument {
        name: name.unwrap_or_default(),
        description: description_of(&attributes)?,
        ty,
    })
}

fn check_type(ty: &Type) -> Result<(), Problem> {
    if let Type::ImplTrait(_) = ty {
        return Err(Problem::on(ty, "a tool cannot be generic")
            .note(ONE_SCHEMA)
            .help("use a concrete type"));
    }
    if is_borrowed(quote::quote!(#ty)) {
        return Err(Problem::on(ty, "an input of a tool cannot be borrowed")
            .note("the input is decoded from the call's arguments, and the function owns it")
            .help("use a type without `&`, such as `String` for `&str` and `Vec<T>` for `&[T]`"));
    }
    Ok(())
}

/// Returns whether the type contains a reference.
fn is_borrowed(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '&',
        TokenTree::Group(group) => is_borrowed(group.stream()),
        _ => false,
    })
}

/// The name in `name` or `mut name`.
fn name_of(pattern: &TokenStream) -> Option<String> {
    let name = |input: syn::parse::ParseStream<'_>| {
        input.parse::<Option<syn::Token![mut]>>()?;
        input.call(Ident::parse_any)
    };
    let name = name.parse2(pattern.clone()).ok()?;
    (name != "_").then(|| name.unraw().to_string())
}

fn description_of(attributes: &[Attribute]) -> Result<String, Problem> {
    let text = documentation::text_of(attributes)?;
    Ok(documentation::plain(&text))
}

const NO_CONTEXT: &str = "the first parameter of a tool must be its context";

const ONE_SCHEMA: &str = "a tool has one input schema, which needs one concrete input type";

//! The function below the attribute: its signature, read without a look at its body.
//!
//! The body may be half-written, as it is while an editor completes in it. So it is skipped, which
//! also spares the parser of expressions: the most expensive part of `syn`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Error, Generics, Ident, LitStr, ReturnType, Token, Type, Visibility, parenthesized,
    parse::{Parse, ParseStream},
};

/// What is read of the function.
pub(crate) struct ToolFunction {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) is_async: bool,
    /// The qualifiers that a tool cannot have: `const`, `unsafe`, `extern`.
    pub(crate) refused_qualifiers: Vec<TokenTree>,
    pub(crate) fn_token: Token![fn],
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: ReturnType,
}

/// A parameter of the function.
pub(crate) enum Parameter {
    /// `self` in any form.
    Receiver(TokenStream),
    /// `pattern: Type`.
    Typed {
        /// The pattern, as it was written.
        pattern: TokenStream,
        /// The type.
        ty: Box<Type>,
    },
}

impl Parse for ToolFunction {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let (is_async, refused_qualifiers) = parse_qualifiers(input)?;
        let fn_token = input
            .parse()
            .map_err(|error| Error::new(error.span(), "a tool is an `async fn`"))?;
        let name = input.parse()?;
        let mut generics: Generics = input.parse()?;
        let content;
        parenthesized!(content in input);
        let parameters = parse_parameters(&content)?;
        let output = input.parse()?;
        generics.where_clause = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok(Self {
            attributes,
            is_async,
            refused_qualifiers,
            fn_token,
            name,
            generics,
            parameters,
            output,
        })
    }
}

impl ToTokens for Parameter {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Receiver(receiver) => receiver.to_tokens(tokens),
            Self::Typed { pattern, ty } => {
                pattern.to_tokens(tokens);
                <Token![:]>::default().to_tokens(tokens);
                ty.to_tokens(tokens);
            }
        }
    }
}

/// Whether `async` is among the qualifiers, and those that a tool cannot have.
fn parse_qualifiers(input: ParseStream<'_>) -> syn::Result<(bool, Vec<TokenTree>)> {
    let mut is_async = false;
    let mut refused = Vec::new();
    loop {
        if input.peek(Token![async]) {
            input.parse::<Token![async]>()?;
            is_async = true;
        } else if input.peek(Token![const])
            || input.peek(Token![unsafe])
            || input.peek(Token![extern])
        {
            refused.push(input.parse()?);
            input.parse::<Option<LitStr>>()?;
        } else {
            return Ok((is_async, refused));
        }
    }
}

fn parse_parameters(input: ParseStream<'_>) -> syn::Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    while !input.is_empty() {
        input.call(Attribute::parse_outer)?;
        parameters.push(parse_parameter(input)?);
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(parameters)
}

fn parse_parameter(input: ParseStream<'_>) -> syn::Result<Parameter> {
    let mut pattern = TokenStream::new();
    let mut is_receiver = false;
    while !(input.is_empty() || input.peek(Token![,]) || is_single_colon(input)) {
        is_receiver |= input.peek(Token![self]);
        input.parse::<TokenTree>()?.to_tokens(&mut pattern);
        if input.peek(Token![::]) {
            input.parse::<Token![::]>()?.to_tokens(&mut pattern);
        }
    }
    let ty = match input.parse::<Option<Token![:]>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    };
    match ty {
        _ if is_receiver => Ok(Parameter::Receiver(pattern)),
        Some(ty) => Ok(Parameter::Typed { pattern, ty }),
        None => Err(Error::new_spanned(pattern, "this parameter has no type")),
    }
}

fn is_single_colon(input: ParseStream<'_>) -> bool {
    input.peek(Token![:]) && !input.peek(Token![::])
}

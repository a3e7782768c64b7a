//! The function below the attribute: its signature, read without a look at its body.
//!
//! The body may be half-written, as while an editor completes in it. So it is skipped, which also
//! avoids the parser of expressions: the most expensive part of `syn`.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Error, Generics, Ident, LitStr, ReturnType, Token, Type, Visibility, parenthesized,
    parse::{Parse, ParseStream},
};

/// The parsed parts of the function.
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
        /// The attributes, among them the documentation.
        attributes: Vec<Attribute>,
        /// The pattern, unchanged.
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
            .map_err(|error| Error::new(error.span(), "a tool must be an `async fn`"))?;
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
            Self::Typed { pattern, ty, .. } => {
                pattern.to_tokens(tokens);
                <Token![:]>::default().to_tokens(tokens);
                ty.to_tokens(tokens);
            }
        }
    }
}

/// Returns whether `async` is among the qualifiers, and the qualifiers that a tool cannot have.
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
        parameters.push(parse_parameter(input)?);
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(parameters)
}

fn parse_parameter(input: ParseStream<'_>) -> syn::Result<Parameter> {
    let attributes = input.call(Attribute::parse_outer)?;
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
        Some(colon) => Some((colon, input.parse()?)),
        None => None,
    };
    match ty {
        Some((colon, ty)) if is_receiver => {
            let ty: Box<Type> = ty;
            colon.to_tokens(&mut pattern);
            ty.to_tokens(&mut pattern);
            Ok(Parameter::Receiver(pattern))
        }
        None if is_receiver => Ok(Parameter::Receiver(pattern)),
        Some((_, ty)) => Ok(Parameter::Typed {
            attributes,
            pattern,
            ty,
        }),
        None => Err(Error::new_spanned(pattern, "this parameter has no type")),
    }
}

fn is_single_colon(input: ParseStream<'_>) -> bool {
    input.peek(Token![:]) && !input.peek(Token![::])
}

/// The function without the documentation of its parameters.
pub(crate) fn undocumented(function: TokenStream) -> TokenStream {
    let mut parameters_are_next = false;
    let mut depth = 0;
    let mut is_arrow = false;
    let tokens = function.into_iter().map(|token| {
        match &token {
            TokenTree::Ident(word) if word == "fn" => parameters_are_next = true,
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' && !is_arrow => depth -= 1,
            TokenTree::Group(group)
                if parameters_are_next
                    && depth == 0
                    && group.delimiter() == Delimiter::Parenthesis =>
            {
                parameters_are_next = false;
                return without_docs(group).into();
            }
            _ => {}
        }
        is_arrow = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '-');
        token
    });
    tokens.collect()
}

/// The group without `#[doc = …]`.
fn without_docs(group: &Group) -> Group {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in group.stream() {
        match &token {
            TokenTree::Group(brackets) if is_doc(brackets) => {
                // The `#` before it.
                kept.pop();
            }
            _ => kept.push(token),
        }
    }
    let mut rest = Group::new(group.delimiter(), kept.into_iter().collect());
    rest.set_span(group.span());
    rest
}

/// Returns whether these are the brackets of `#[doc = …]`.
fn is_doc(group: &Group) -> bool {
    let mut tokens = group.stream().into_iter();
    group.delimiter() == Delimiter::Bracket
        && matches!(tokens.next(), Some(TokenTree::Ident(word)) if word == "doc")
        && matches!(tokens.next(), Some(TokenTree::Punct(punct)) if punct.as_char() == '=')
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn only_the_documentation_of_parameters_is_removed() {
        let written = quote! {
            /// Kept.
            pub(crate) async fn list<F: Fn(u8) -> u8>(
                /// Taken off.
                #[cfg(all())] table: [u8; 2],
            ) -> Result<(), ()> {
                fn inner(#[doc = "kept"] _: u8) {}
            }
        };
        let kept = quote! {
            /// Kept.
            pub(crate) async fn list<F: Fn(u8) -> u8>(
                #[cfg(all())] table: [u8; 2],
            ) -> Result<(), ()> {
                fn inner(#[doc = "kept"] _: u8) {}
            }
        };
        assert_eq!(undocumented(written).to_string(), kept.to_string());
    }
}

//! `#[tools]`: an `impl` block whose methods are tools, called on a value of the program.
//!
//! A method cannot register itself, since an `impl` block can hold nothing but its items. So the
//! block is read as a whole: each method with `#[tool(…)]` is registered after the block, and the
//! attribute is removed.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Generics, Token, Type, WhereClause, braced,
    parse::{Parse, ParseStream},
    spanned::Spanned,
    token::Brace,
};

use crate::{
    problems::{Problem, Problems},
    tool::{self, Site},
};

/// Returns the block without its `#[tool]` attributes, followed by the registrations or by the
/// errors.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    if !attribute.is_empty() {
        problems.add(
            Problem::on(&attribute, "`#[tools]` takes no arguments")
                .note("each method is described by its own `#[tool(…)]`")
                .help("move the arguments to `#[tool(…)]` above the method"),
        );
    }
    let block = syn::parse2(item.clone()).map_err(|error| {
        Problem::at(error.span(), error.to_string())
            .note("the registry calls the methods of one type on the value that it was given")
            .help("write `#[tools] impl NAME { … }` and add `#[tool(…)]` above each method that is a tool")
    });
    let Some(block): Option<Block> = problems.keep(block) else {
        return quote!(#item #problems);
    };
    let registrations = block.registrations(&mut problems);
    if problems.is_empty() {
        quote!(#block #(#registrations)*)
    } else {
        quote!(#block #problems)
    }
}

/// `impl OWNER { … }`.
struct Block {
    attributes: Vec<Attribute>,
    /// From `impl` to the last token before the braces.
    head: TokenStream,
    generics: Generics,
    owner: Type,
    /// The trait that the block implements.
    of_trait: Option<Type>,
    braces: Brace,
    items: Vec<Item>,
}

/// An item of the block.
struct Item {
    attributes: Vec<Attribute>,
    /// Its `#[tool(…)]` attribute, if it has one.
    tool: Option<Attribute>,
    tokens: TokenStream,
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let begin = input.cursor();
        let expected = |error: syn::Error| {
            syn::Error::new(
                error.span(),
                "`#[tools]` can only be applied to an `impl` block",
            )
        };
        input.parse::<Token![impl]>().map_err(expected)?;
        let generics = input.parse()?;
        let mut owner: Type = input.parse()?;
        let mut of_trait = None;
        if input.parse::<Option<Token![for]>>()?.is_some() {
            of_trait = Some(std::mem::replace(&mut owner, input.parse()?));
        }
        input.parse::<Option<WhereClause>>()?;
        let end = input.cursor();
        let mut head = TokenStream::new();
        let mut at = begin;
        while at != end
            && let Some((token, next)) = at.token_tree()
        {
            head.extend([token]);
            at = next;
        }
        let content;
        let braces = braced!(content in input);
        let mut items = Vec::new();
        while !content.is_empty() {
            items.push(content.parse()?);
        }
        Ok(Self {
            attributes,
            head,
            generics,
            owner,
            of_trait,
            braces,
            items,
        })
    }
}

impl Parse for Item {
    /// Reads up to the braces or the semicolon that ends an item.
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut attributes = input.call(Attribute::parse_outer)?;
        let is_tool = |attribute: &Attribute| {
            let name = attribute.path().segments.last();
            name.is_some_and(|name| name.ident == "tool")
        };
        let tool = attributes.iter().position(is_tool);
        let tool = tool.map(|at| attributes.remove(at));
        let mut tokens = TokenStream::new();
        while !input.is_empty() {
            let token: TokenTree = input.parse()?;
            let ends = match &token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                TokenTree::Punct(punct) => punct.as_char() == ';',
                _ => false,
            };
            tokens.extend([token]);
            if ends {
                break;
            }
        }
        Ok(Self {
            attributes,
            tool,
            tokens,
        })
    }
}

impl Block {
    fn registrations(&self, problems: &mut Problems) -> Vec<TokenStream> {
        if let Some(of_trait) = &self.of_trait {
            problems.add(
                Problem::on(
                    of_trait,
                    "`#[tools]` cannot be applied to a trait implementation",
                )
                .note("a tool is a method of one type, and the registry is given a value of that type")
                .help(
                    "move the tools to an `impl NAME { … }` block; they can call the trait's methods",
                ),
            );
        }
        if !self.generics.params.is_empty() {
            problems.add(
                Problem::on(
                    &self.generics,
                    "the type of a `#[tools]` block cannot be generic",
                )
                .note("the registry is given one value of one concrete type")
                .help("write the block for a concrete type, such as `impl Warehouse<Postgres>`"),
            );
        }
        let cfgs = self.attributes.iter();
        let cfgs: Vec<_> = cfgs
            .filter(|attribute| attribute.path().is_ident("cfg"))
            .collect();
        let mut registrations = Vec::new();
        let mut tools = 0;
        for item in &self.items {
            let Some(tool) = &item.tool else { continue };
            tools += 1;
            let arguments = match &tool.meta {
                syn::Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            let attributes = &item.attributes;
            let tokens = with_self_as(&self.owner, item.tokens.clone());
            let method = quote!(#(#cfgs)* #(#attributes)* #tokens);
            let site = Site {
                owner: Some(&self.owner),
                attribute: tool.path().span(),
            };
            registrations.extend(tool::register(arguments, method, site, problems));
        }
        if tools == 0 {
            problems.add(
                Problem::on(&self.owner, "this `#[tools]` block contains no tool")
                    .note("`#[tools]` registers the methods that are marked with `#[tool(…)]`")
                    .help("add `#[tool(…)]` above a method, or remove `#[tools]`"),
            );
        }
        registrations
    }
}

impl ToTokens for Block {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for attribute in &self.attributes {
            attribute.to_tokens(tokens);
        }
        self.head.to_tokens(tokens);
        self.braces.surround(tokens, |tokens| {
            for item in &self.items {
                item.to_tokens(tokens);
            }
        });
    }
}

impl ToTokens for Item {
    /// A tool is `async` and takes `&self` whether it needs to or not, so the lints against that
    /// are off.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for attribute in &self.attributes {
            attribute.to_tokens(tokens);
        }
        if self.tool.is_some() {
            quote!(#[allow(clippy::unused_async, clippy::unused_self)]).to_tokens(tokens);
            tool::undocumented(self.tokens.clone()).to_tokens(tokens);
        } else {
            self.tokens.to_tokens(tokens);
        }
    }
}

/// The signature as it reads outside of the block: the type itself in the place of `Self`.
fn with_self_as(owner: &Type, tokens: TokenStream) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => owner.to_token_stream(),
        TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => {
            let inner = with_self_as(owner, group.stream());
            let mut outer = Group::new(group.delimiter(), inner);
            outer.set_span(group.span());
            TokenTree::Group(outer).into()
        }
        other => other.into(),
    });
    replaced.collect()
}

//! The skeleton of a domain service: a crate with a trait of typed methods, and a program that
//! serves an implementation of it on both transports.

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    CrateOptions, docs,
    fields::{call_name, ident},
    rust_type::RustTypes,
    source, tokens,
};
use crate::{
    check::CheckedService,
    emit::output::OutputTree,
    ir::{Operation, rust_names, types::Shape},
};

/// A method as Rust code.
struct Method<'a> {
    /// The name in the document.
    wire_name: &'a str,
    name: TokenStream,
    params: TokenStream,
    result: TokenStream,
    docs: TokenStream,
}

/// Returns the files of a crate that serves the methods of an EAB document.
#[must_use]
pub fn skeleton(service: &CheckedService, options: &CrateOptions) -> OutputTree {
    let types = RustTypes {
        types: &service.service().types,
        path: "types::",
    };
    let mut methods: Vec<Method<'_>> = service
        .tools()
        .filter_map(|(tool, operation)| {
            let wire_name = operation.operation_id.as_deref()?;
            Some(Method {
                wire_name,
                name: tokens::code(&ident(wire_name)),
                params: tokens::code(&call_name(tool)),
                result: tokens::code(&result(&types, operation)),
                docs: tokens::docs(&docs::text_or(&operation.texts.short, "A method.")),
            })
        })
        .collect();
    methods.sort_by_key(|method| method.wire_name);
    let mut tree = OutputTree::new();
    // Another command refreshes the files of a skeleton.
    let (generated, here) = (source::mark(service), mark(service));
    for (file, text) in super::service(service).iter() {
        let text = text.replacen(&generated, &here, 1);
        tree.add(format!("src/adapters/{file}"), text);
    }
    tree.add("src/lib.rs", library(service));
    tree.add("src/service.rs", trait_of(service, &methods));
    tree.add_initial("src/main.rs", program(service, &methods));
    tree.add_initial("Cargo.toml", manifest(service, options));
    tree
}

/// Returns the mark of the files that are not the user's own.
fn mark(service: &CheckedService) -> String {
    source::mark_line(service, "toolwright eab scaffold")
}

/// Returns the type of a method's own result, which needs no import but the adapters.
fn result(types: &RustTypes<'_>, operation: &Operation) -> String {
    let field = match types.types.shape(operation.output.ty) {
        Some(Shape::Object(outcome)) => {
            let mut fields = outcome.fields.iter();
            fields.find(|field| field.wire_name == "result")
        }
        _ => None,
    };
    let plain = field.map_or_else(|| "codec::Value".to_owned(), |field| types.plain(field.ty));
    plain.replace("codec::", "toolwright::codec::")
}

fn library(service: &CheckedService) -> String {
    let name = &service.service().name;
    let docs = format!("The domain service `{name}`, without its methods.");
    let docs = tokens::marked_docs(&mark(service), &docs);
    tokens::file(&quote! {
        #docs
        pub mod adapters;
        pub mod service;
    })
}

fn trait_of(service: &CheckedService, methods: &[Method<'_>]) -> String {
    let docs = "The methods of the service as a trait, and the protocol around them.";
    let docs = tokens::marked_docs(&mark(service), docs);
    let declarations = methods.iter().map(Method::declaration);
    let arms = methods.iter().map(Method::arm);
    tokens::file(&quote! {
        #docs
        use toolwright::codec::Codec;
        use toolwright_eab::{
            Contract, ContractError, ErrorCode, Handshake, MethodResult, Refusal, Request, Service,
        };
        use crate::adapters::{self, *};

        /// The methods of the service.
        pub trait Methods: Send + Sync + 'static {
            #(#declarations)*
        }

        /// Serves methods by the contract of their document.
        pub struct Served<M> {
            methods: M,
            contract: Contract,
            handshake: Handshake,
        }

        impl<M: Methods> Served<M> {
            /// Serves these methods.
            ///
            /// # Errors
            /// If the adapters were changed by hand.
            pub fn new(methods: M) -> Result<Self, ContractError> {
                let contract = Contract::new(adapters::TOOLS)?;
                let handshake = contract.handshake(env!("CARGO_PKG_VERSION"));
                Ok(Self { methods, contract, handshake })
            }
        }

        impl<M: Methods> Service for Served<M> {
            fn handshake(&self) -> Handshake {
                self.handshake.clone()
            }

            async fn call(&self, request: Request) -> Result<MethodResult, Refusal> {
                match request.method.as_str() {
                    #(#arms)*
                    _ => Err(Refusal {
                        code: ErrorCode::UnsupportedMethod,
                        message: "unknown method".to_owned(),
                    }),
                }
            }
        }
    })
}

impl Method<'_> {
    /// Returns the method of the trait.
    fn declaration(&self) -> TokenStream {
        let Self {
            name,
            params,
            result,
            docs,
            ..
        } = self;
        quote! {
            #docs
            fn #name(&self, params: #params, request: Request)
                -> impl Future<Output = Result<MethodResult<#result>, Refusal>> + Send;
        }
    }

    /// Returns the arm that calls the method.
    fn arm(&self) -> TokenStream {
        let Self {
            wire_name, name, ..
        } = self;
        quote! {
            #wire_name => {
                let params = self.contract.params(&request)?;
                let found = self.methods.#name(params, request).await?;
                Ok(found.map(|result| result.encode()))
            }
        }
    }

    /// Returns an implementation that refuses each call.
    fn stub(&self) -> TokenStream {
        let Self {
            wire_name,
            name,
            params,
            result,
            ..
        } = self;
        quote! {
            async fn #name(&self, _params: #params, _request: Request)
                -> Result<MethodResult<#result>, Refusal> {
                Err(not_written(#wire_name))
            }
        }
    }
}

fn program(service: &CheckedService, methods: &[Method<'_>]) -> String {
    let service = service.service();
    let name = &service.name;
    let docs = tokens::module_docs(&program_docs(name.as_str(), &service.document));
    let ty = tokens::code(&rust_names::type_name(name.as_str()));
    let library = tokens::code(&format!("{name}_service"));
    let stubs = methods.iter().map(Method::stub);
    tokens::spaced_file(&quote! {
        #docs
        use std::{env, error::Error, path::PathBuf, sync::Arc};
        use #library::{adapters::*, service::{Methods, Served}};
        use tokio::{net::TcpListener, signal, task::JoinSet};
        use toolwright_eab::{ErrorCode, MethodResult, Refusal, Request, serve_http, serve_unix};

        /// The service.
        struct #ty;

        impl Methods for #ty {
            #(#stubs)*
        }

        fn not_written(method: &str) -> Refusal {
            Refusal {
                code: ErrorCode::InternalError,
                message: format!("`{method}` is not implemented yet"),
            }
        }

        #[tokio::main]
        async fn main() -> Result<(), Box<dyn Error>> {
            let mut arguments = env::args().skip(1);
            let (Some(socket), Some(address)) = (arguments.next(), arguments.next()) else {
                return Err("expected two arguments: a socket path and an address".into());
            };
            let socket = PathBuf::from(socket);
            let listener = TcpListener::bind(&address).await?;
            let service = Arc::new(Served::new(#ty)?);
            let mut tasks = JoinSet::new();
            tasks.spawn(serve_http(listener, Arc::clone(&service)));
            let path = socket.clone();
            tasks.spawn(async move { serve_unix(&path, service).await });
            tasks.spawn(signal::ctrl_c());
            if let Some(ended) = tasks.join_next().await {
                ended??;
            }
            std::fs::remove_file(&socket)?;
            Ok(())
        }
    })
}

/// Returns the documentation of the program.
fn program_docs(name: &str, document: &str) -> String {
    format!(
        "The service `{name}`. Implement its methods, run it, and check it:

    cargo run -- /tmp/{name}.sock 127.0.0.1:7071
    toolwright eab verify {document} --endpoint /tmp/{name}.sock --repository . --writes
    toolwright eab verify {document} --endpoint http://127.0.0.1:7071 --writes

This file and `Cargo.toml` are yours. `toolwright eab scaffold` rewrites the other files when the
document changes. The compiler then reports what is missing here."
    )
}

fn manifest(service: &CheckedService, options: &CrateOptions) -> String {
    let name = &service.service().name;
    format!(
        r#"[package]
name = "{name}-service"
description = "The domain service {name}"
version = "0.1.0"
edition = "2024"
publish = false

[dependencies]
tokio = {{ version = "1", features = ["macros", "net", "rt-multi-thread", "signal"] }}
toolwright = {{ {runtime} }}
toolwright-eab = {{ {eab}, features = ["typed"] }}
{workspace}"#,
        runtime = options.source("runtime"),
        eab = options.source("eab"),
        workspace = options.workspace(),
    )
}

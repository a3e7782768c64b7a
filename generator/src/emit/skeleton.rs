//! The skeleton of a domain service: a crate with a trait of typed methods, and a program that serves
//! whatever implements it on both transports.

use std::path::Path;

use super::{
    docs,
    fields::call_name,
    rust_type::RustTypes,
    source::{self, Source},
    standalone::toml_string,
};
use crate::{
    check::CheckedService,
    ir::{Operation, types::Shape},
    output::OutputTree,
    rust_names,
};

/// The files that are the user's own from the moment they are there.
pub const OWN_FILES: &[&str] = &["Cargo.toml", "src/main.rs"];

/// A method as Rust code.
struct Method<'a> {
    name: &'a str,
    params: String,
    result: String,
    about: String,
}

/// The files of a crate that serves the methods of an EAB document. `workspace` is the folder of
/// a checkout of Toolwright; without it the crate depends on what is published.
#[must_use]
pub fn skeleton(service: &CheckedService, workspace: Option<&Path>) -> OutputTree {
    let types = RustTypes {
        types: &service.service().types,
        path: "types::",
    };
    let mut methods: Vec<Method<'_>> = service
        .tools()
        .filter_map(|(tool, operation)| {
            Some(Method {
                name: operation.operation_id.as_deref()?,
                params: call_name(tool),
                result: result(&types, operation),
                about: docs::text_or(&operation.texts.short, "A method."),
            })
        })
        .collect();
    methods.sort_by_key(|method| method.name);
    let mut tree = OutputTree::new();
    // What writes these files anew is another command than where they stand by themselves.
    let (generated, here) = (source::mark(service), mark(service));
    for (file, text) in super::service(service).iter() {
        let text = text.replacen(&generated, &here, 1);
        tree.add(format!("src/adapters/{file}"), text);
    }
    tree.add("src/lib.rs", library(service));
    tree.add("src/service.rs", trait_of(service, &methods));
    tree.add("src/main.rs", program(service, &methods));
    tree.add("Cargo.toml", manifest(service, workspace));
    tree
}

/// The first line of the files that are not the user's own.
fn mark(service: &CheckedService) -> String {
    source::marked(service, "toolwright eab scaffold")
}

/// The type of a method's own result; nothing has to be imported for it but the adapters.
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
    let docs = format!("The domain service `{name}`, but for its methods.");
    let mut source = Source::new(&mark(service), &docs);
    source.line("pub mod adapters;");
    source.line("pub mod service;");
    source.finish()
}

fn trait_of(service: &CheckedService, methods: &[Method<'_>]) -> String {
    let mark = mark(service);
    let mut source = Source::new(
        &mark,
        "The methods of the service as a trait, and the protocol around them.",
    );
    source.line("use toolwright::codec::Codec;");
    source.line(
        "use toolwright_eab::{Contract, ContractError, ErrorCode, Found, Handshake, Refusal, Request, Service};",
    );
    source.blank();
    source.line("use crate::adapters::{self, *};");
    source.blank();
    source.docs("What the service does.");
    source.block(
        "pub trait Methods: Send + Sync + 'static {",
        |source| {
            for Method {
                name,
                params,
                result,
                about,
            } in methods
            {
                source.docs(about);
                source.line(format_args!(
                    "fn {name}(&self, params: {params}, request: Request) -> impl Future<Output = Result<Found<{result}>, Refusal>> + Send;"
                ));
            }
        },
        "}",
    );
    source.blank();
    source.docs("Serves methods by the contract of their document.");
    source.block(
        "pub struct Served<M> {",
        |source| {
            source.line("methods: M,");
            source.line("contract: Contract,");
            source.line("handshake: Handshake,");
        },
        "}",
    );
    source.blank();
    source.block(
        "impl<M: Methods> Served<M> {",
        |source| {
            source
                .docs("Serves these methods.\n\n# Errors\nWhen the adapters were changed by hand.");
            source.block(
                "pub fn new(methods: M) -> Result<Self, ContractError> {",
                |source| {
                    source.line("let contract = Contract::of(adapters::TOOLS)?;");
                    source.line("let handshake = contract.handshake(env!(\"CARGO_PKG_VERSION\"));");
                    source.line("Ok(Self { methods, contract, handshake })");
                },
                "}",
            );
        },
        "}",
    );
    source.blank();
    source.block(
        "impl<M: Methods> Service for Served<M> {",
        |source| {
            source.line("fn handshake(&self) -> Handshake { self.handshake.clone() }");
            source.blank();
            source.block(
                "async fn call(&self, request: Request) -> Result<Found, Refusal> {",
                |source| {
                    source.block(
                        "match request.method.as_str() {",
                        |source| {
                            for Method { name, .. } in methods {
                                source.block(
                                    format_args!("{name:?} => {{"),
                                    |source| {
                                        source.line("let params = self.contract.params(&request)?;");
                                        source.line(format_args!(
                                            "let found = self.methods.{name}(params, request).await?;"
                                        ));
                                        source.line("Ok(found.map(|result| result.encode()))");
                                    },
                                    "}",
                                );
                            }
                            source.line(
                                "_ => Err(Refusal { code: ErrorCode::UnsupportedMethod, message: \"there is no such method\".to_owned() }),",
                            );
                        },
                        "}",
                    );
                },
                "}",
            );
        },
        "}",
    );
    source.finish()
}

fn program(service: &CheckedService, methods: &[Method<'_>]) -> String {
    let service = service.service();
    let ty = rust_names::type_name(service.name.as_str());
    let mut text = format!(
        r#"//! The service `{name}`. Write its methods, run it, and check it:
//!
//!     cargo run -- /tmp/{name}.sock 127.0.0.1:7071
//!     toolwright eab verify {document} --endpoint /tmp/{name}.sock --repository . --writes
//!     toolwright eab verify {document} --endpoint http://127.0.0.1:7071 --writes
//!
//! This file and `Cargo.toml` are yours. The other files are written anew by `toolwright eab scaffold`
//! when the document has changed; what this one lacks then, the compiler tells.

use std::{{env, error::Error, path::PathBuf, sync::Arc}};

use {name}_service::{{adapters::*, service::{{Methods, Served}}}};
use tokio::net::TcpListener;
use toolwright_eab::{{ErrorCode, Found, Refusal, Request, serve_http, serve_unix}};

/// The service.
struct {ty};

impl Methods for {ty} {{
"#,
        name = service.name,
        document = service.document,
    );
    for Method {
        name,
        params,
        result,
        ..
    } in methods
    {
        text.push_str(&format!(
            "    async fn {name}(&self, _params: {params}, _request: Request) -> Result<Found<{result}>, Refusal> {{\n        Err(not_written({name:?}))\n    }}\n\n"
        ));
    }
    text.push_str(
        r#"}

fn not_written(method: &str) -> Refusal {
    Refusal {
        code: ErrorCode::InternalError,
        message: format!("`{method}` is not written yet"),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(socket), Some(address)) = (arguments.next(), arguments.next()) else {
        return Err("give a socket and an address".into());
    };
    let socket = PathBuf::from(socket);
    let listener = TcpListener::bind(&address).await?;
"#,
    );
    text.push_str(&format!(
        "    let service = Arc::new(Served::new({ty})?);\n"
    ));
    text.push_str(
        r#"    tokio::select! {
        ended = serve_http(listener, Arc::clone(&service)) => ended?,
        ended = serve_unix(&socket, service) => ended?,
        pressed = tokio::signal::ctrl_c() => pressed?,
    }
    std::fs::remove_file(&socket)?;
    Ok(())
}
"#,
    );
    text
}

fn manifest(service: &CheckedService, workspace: Option<&Path>) -> String {
    let name = &service.service().name;
    let version = env!("CARGO_PKG_VERSION");
    let dependency = |folder: &str| match workspace {
        Some(path) => {
            let path = path.join(folder);
            format!("path = {}", toml_string(&path.to_string_lossy()))
        }
        None => format!("version = {}", toml_string(version)),
    };
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

# A workspace of its own, wherever it is put.
[workspace]
"#,
        runtime = dependency("runtime"),
        eab = dependency("eab"),
    )
}

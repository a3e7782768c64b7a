//! Toolwright, with all of its gates and an audit in a file.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use toolwright::{Registry, Role, audit::AuditFile, config::Config};
use toolwright_generator::{
    generate::{self, Accept, Input, Options, Unnameable},
    load::Disk,
};
use toolwright_mcp::{Access, HttpLimits, Server, Shutdown, Token};

use super::{ServeArguments, Transport};
use crate::{Failure, upstream::DOCUMENT};

/// Serves the document of the arguments, or that of the upstream service.
pub(super) async fn serve(arguments: &ServeArguments) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let (document, service) = match &arguments.document {
        Some(document) => (document.clone(), "netbox"),
        None => {
            let document = folder.path().join("shop.yaml");
            fs::write(&document, DOCUMENT)?;
            (document, "shop")
        }
    };
    let registry = registry(arguments, &document, service, folder.path())?;
    let server = Server::new(&registry, &Role::new("agent")?);
    match arguments.transport {
        Transport::Stdio => server.serve_stdio(Shutdown::on_signals()?).await?,
        Transport::Http => {
            let token = Token::new(&arguments.token).ok_or("the token is too short")?;
            let limits = HttpLimits::default();
            let server = server.bind_http(arguments.port, Access::Token(token), limits);
            server.await?.serve(Shutdown::on_signals()?).await;
        }
    }
    Ok(())
}

fn registry(
    arguments: &ServeArguments,
    document: &Path,
    service: &str,
    folder: &Path,
) -> Result<Registry, Failure> {
    let options = Options {
        unnameable: Unnameable::LeaveOutLocked,
        accept: Accept {
            renames: false,
            lowering: false,
        },
    };
    let path = document.to_str().ok_or("the path is not Unicode")?;
    let input = Input::new(path).service(service);
    // The document and the catalogue are dropped when there are specifications, as the command does.
    let specs = {
        let catalog = generate::run(&[input], options, &Disk).catalog;
        catalog.ok_or("the document cannot be read")?.tool_specs()
    };
    let policy = format!(
        "[roles.agent]\ngrant = [\"*\"]\n[tools]\nenable = [\"*\"]\n[services.{service}]\nbase_url = {:?}\n",
        arguments.upstream
    );
    let config = Config::parse(Path::new("toolwright.toml"), &policy)?;
    write_auth(&folder.join(".local").join(service))?;
    Ok(Registry::builder()
        .specs(specs)
        .config(config)
        .credentials(toolwright::Credentials::new(folder))
        .audit(AuditFile::new(folder.join("audit.jsonl")))
        .build()?)
}

/// Writes the auth file of the service, as private as auth files must be.
fn write_auth(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(folder.join("admin-auth.json"))?;
    file.write_all(br#"{"api_token": "a-token-of-the-upstream-service"}"#)?;
    Ok(())
}

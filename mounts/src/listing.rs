//! The tools that a server lists, within limits.

use std::collections::BTreeMap;

use rmcp::{
    Peer, RoleClient,
    model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool},
};
use toolwright_model::text::escape_invisible;

use crate::{
    connect::Unavailable,
    definition::{Definition, DefinitionFault},
};

/// The most pages of a list.
const MOST_PAGES: usize = 64;

/// The most characters of a name in a message.
const LONGEST_NAME: usize = 64;

/// The tools that a server lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The name of the server, by itself, and its version.
    pub server: (String, String),
    /// The definitions that can be accepted, by the names of their tools.
    pub definitions: BTreeMap<String, Definition>,
    /// The others, by their names with invisible characters escaped.
    pub faults: BTreeMap<String, DefinitionFault>,
}

impl Listing {
    /// Reads all pages of the list. The answers of the server are not kept for a later list.
    pub(crate) async fn read(
        peer: &Peer<RoleClient>,
        most_tools: usize,
    ) -> Result<Self, Unavailable> {
        let mut listing = Self::default();
        if let Some(info) = peer.peer_info().and_then(|info| info.server_info.clone()) {
            listing.server = (info.name, info.version);
        }
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let request = ListToolsRequest::with_param(params);
            let answer = peer.send_request(ClientRequest::ListToolsRequest(request));
            let page = match answer.await {
                Ok(ServerResult::ListToolsResult(page)) => page,
                Ok(_) => return Err(Unavailable::broken("its list of tools is not valid")),
                Err(error) => return Err(Unavailable::from_service(&error)),
            };
            tools.extend(page.tools);
            if tools.len() > most_tools {
                let message = format!("it lists more than {most_tools} tools (`most_tools`)");
                return Err(Unavailable::broken(message));
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                listing.take(&tools);
                return Ok(listing);
            }
        }
        let message = format!("its list of tools has more than {MOST_PAGES} pages");
        Err(Unavailable::broken(message))
    }

    fn take(&mut self, tools: &[Tool]) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for tool in tools {
            *counts.entry(&tool.name).or_default() += 1;
        }
        for tool in tools {
            let read = match counts.get(&*tool.name) {
                Some(1) => Definition::from_server(tool),
                _ => Err(DefinitionFault::Duplicate),
            };
            match read {
                Ok(definition) => {
                    self.definitions
                        .insert(definition.name().to_owned(), definition);
                }
                Err(fault) => {
                    let name: String = tool.name.chars().take(LONGEST_NAME).collect();
                    self.faults
                        .insert(escape_invisible(&name).into_owned(), fault);
                }
            }
        }
    }
}

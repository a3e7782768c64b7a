//! The auth file entries that the tools of a service need.

use std::{collections::BTreeSet, fmt};

use serde::Serialize;

use crate::{Binding, Bound, SecurityRequirement, ToolSpec, credentials_in_words};

/// The auth file entries that the tools of a service need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServiceCredentials {
    /// The credentials, the most common first.
    pub needs: Vec<CredentialNeed>,
    /// The service constants without which a tool cannot be called.
    pub constants: BTreeSet<String>,
    /// True if the file must contain the base URL because a tool has none.
    pub base_url: bool,
}

/// A credential that some tools of a service need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CredentialNeed {
    /// The alternatives, as in [`HttpBinding::security`](crate::HttpBinding::security), with the
    /// scopes of all these tools.
    pub alternatives: Vec<Vec<SecurityRequirement>>,
    /// The same in words.
    pub words: String,
    /// The number of tools that need it.
    pub tools: usize,
}

impl ServiceCredentials {
    /// Collects the needs of these tools. A tool without a service needs nothing.
    pub fn for_tools<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        let mut all = Self::default();
        for spec in specs {
            match &spec.binding {
                Binding::Http(binding) => {
                    all.base_url |= binding
                        .base_url
                        .as_deref()
                        .is_none_or(|url| !url.contains("://"));
                    all.add_constants(binding.bounds());
                    all.add(&binding.security);
                }
                // Who may reach a domain service is decided by its socket or its network.
                Binding::Eab(binding) => {
                    all.base_url |= binding.transports.is_empty();
                    all.add_constants(binding.bounds());
                }
                // The configuration of the server names its secrets.
                Binding::Mcp(_) | Binding::Native => {}
            }
        }
        for need in &mut all.needs {
            need.words = words(&need.alternatives);
        }
        all.needs.sort_by_key(|need| std::cmp::Reverse(need.tools));
        all
    }

    fn add_constants<'a>(&mut self, bounds: impl Iterator<Item = &'a Bound>) {
        self.constants.extend(constants(bounds).map(str::to_owned));
    }

    fn add(&mut self, security: &[Vec<SecurityRequirement>]) {
        let mut known = self.needs.iter_mut();
        match known.find(|need| are_alike(&need.alternatives, security)) {
            Some(need) => {
                need.tools += 1;
                let pairs = need.alternatives.iter_mut().flatten();
                for (known, part) in pairs.zip(security.iter().flatten()) {
                    add_scopes(known, part);
                }
            }
            None => self.needs.push(CredentialNeed {
                alternatives: security.to_vec(),
                words: String::new(),
                tools: 1,
            }),
        }
    }
}

impl fmt::Display for ServiceCredentials {
    /// Writes one line for each entry of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.base_url {
            writeln!(
                f,
                "`base_url`: the specification does not declare the URL of the service"
            )?;
        }
        for constant in &self.constants {
            writeln!(f, "`{constant}`: a service constant")?;
        }
        for CredentialNeed { words, tools, .. } in &self.needs {
            let of = if *tools == 1 { "tool" } else { "tools" };
            writeln!(f, "{words}: {tools} {of}")?;
        }
        Ok(())
    }
}

fn words(alternatives: &[Vec<SecurityRequirement>]) -> String {
    if alternatives.is_empty() {
        return "credentials that the specification does not declare".to_owned();
    }
    credentials_in_words(alternatives)
}

/// Checks whether two lists are equal except for the scopes.
fn are_alike(a: &[Vec<SecurityRequirement>], b: &[Vec<SecurityRequirement>]) -> bool {
    let schemes = |security: &[Vec<SecurityRequirement>]| -> Vec<Vec<String>> {
        let alternatives = security.iter();
        let names =
            alternatives.map(|parts| parts.iter().map(|part| part.scheme.clone()).collect());
        names.collect()
    };
    schemes(a) == schemes(b)
}

fn add_scopes(known: &mut SecurityRequirement, part: &SecurityRequirement) {
    for scope in &part.scopes {
        if !known.scopes.contains(scope) {
            known.scopes.push(scope.clone());
        }
    }
    known.scopes.sort();
}

/// The constants that are always sent.
fn constants<'a>(bounds: impl Iterator<Item = &'a Bound>) -> impl Iterator<Item = &'a str> {
    bounds.filter_map(|bound| match bound {
        Bound::Constant(name) => Some(name.as_str()),
        Bound::Argument(_) | Bound::Fixed(_) => None,
    })
}

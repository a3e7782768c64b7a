//! Security schemes and the security requirements of operations.

use openapiv3::{APIKeyLocation, SecurityScheme};
use toolwright_model::{Location, Scheme, SecurityRequirement, most_similar};

use super::reader::{Flavour, Inherited, OpenApiReader, Schemes};
use crate::document::{
    diagnostic::{Code, Diagnostic},
    tree::{Field, Node},
};

impl<'a> OpenApiReader<'a, '_> {
    /// Returns the document-wide defaults of an OpenAPI 3 document.
    pub(super) fn openapi_root(&mut self, root: &'a Node) -> Inherited<'a> {
        let components = root.get("components");
        let schemes = components.and_then(|components| components.get("securitySchemes"));
        let schemes = self.schemes(schemes, Self::scheme);
        Inherited {
            servers: self.servers(root.get("servers")),
            security: self.requirements(root.get("security"), &schemes),
            schemes,
            flavour: Flavour::OpenApi,
        }
    }

    /// Returns the declared schemes.
    pub(super) fn schemes(
        &mut self,
        declared: Option<&'a Node>,
        mut read: impl FnMut(&mut Self, &'a Node) -> Option<Scheme>,
    ) -> Schemes {
        let mut schemes = Schemes::new();
        for (name, node) in declared.into_iter().flat_map(Node::fields) {
            let since = self.report_count();
            let node = self.object(node, "a security scheme");
            let scheme = node.and_then(|node| read(self, node));
            if scheme.is_none() {
                self.consequence(since, "this scheme is left out");
            }
            schemes.insert(name.to_owned(), scheme);
        }
        schemes
    }

    /// Returns the security requirements of an operation: its own, or the document's.
    pub(super) fn security(
        &mut self,
        operation: &'a Node,
        inherited: &Inherited<'a>,
    ) -> Vec<Vec<SecurityRequirement>> {
        match operation.get("security") {
            Some(own) => self.requirements(Some(own), &inherited.schemes),
            None => inherited.security.clone(),
        }
    }

    /// Returns the alternatives of a security list. An empty list means that no credentials are
    /// needed. A requirement with an undeclared scheme is left out, and so is an alternative
    /// without any remaining requirement.
    pub(super) fn requirements(
        &mut self,
        list: Option<&'a Node>,
        schemes: &Schemes,
    ) -> Vec<Vec<SecurityRequirement>> {
        let Some(list) = list.and_then(|list| self.array(list, "`security`")) else {
            return Vec::new();
        };
        if list.is_empty() {
            return vec![Vec::new()];
        }
        let mut alternatives = Vec::new();
        for alternative in list {
            let parts = alternative.as_object().into_iter().flatten();
            let read: Vec<_> = parts
                .filter_map(|(name, field)| self.requirement(name, field, schemes))
                .collect();
            if !read.is_empty() || alternative.fields().next().is_none() {
                alternatives.push(read);
            }
        }
        alternatives
    }

    fn requirement(
        &mut self,
        name: &str,
        field: &'a Field,
        schemes: &Schemes,
    ) -> Option<SecurityRequirement> {
        let Some(kind) = schemes.get(name) else {
            self.undeclared_scheme(name, field, schemes);
            return None;
        };
        let scopes = field.node.items().filter_map(Node::as_str);
        Some(SecurityRequirement {
            scheme: name.to_owned(),
            kind: kind.clone()?,
            scopes: scopes.map(str::to_owned).collect(),
        })
    }

    fn undeclared_scheme(&mut self, name: &str, field: &Field, schemes: &Schemes) {
        let message = format!("the security scheme `{name}` is not declared");
        let diagnostic = Diagnostic::error(Code::UnknownSecurityScheme, field.key, message);
        let similar = most_similar(name, schemes.keys().map(String::as_str));
        self.report(match similar {
            Some(similar) => diagnostic.help(format!(
                "a scheme with a similar name is declared: `{similar}`"
            )),
            None => diagnostic.help("declare it under `securitySchemes`"),
        });
    }

    fn scheme(&mut self, node: &'a Node) -> Option<Scheme> {
        match serde_json::from_value(node.to_value()) {
            Ok(scheme) => Some(to_model(scheme)),
            Err(error) => self.lenient_scheme(node, &error),
        }
    }

    /// Reads a scheme that violates the specification. Many documents omit the URLs of OAuth flows,
    /// which calls do not need.
    fn lenient_scheme(&mut self, node: &'a Node, error: &serde_json::Error) -> Option<Scheme> {
        match self
            .required_text(node, "type", "this security scheme")?
            .as_str()
        {
            "oauth2" => Some(Scheme::OAuth2),
            "openIdConnect" => Some(Scheme::OpenIdConnect),
            kind @ ("apiKey" | "http") => {
                let place = self.first_line(node);
                self.report(
                    Diagnostic::error(
                        Code::Missing,
                        place,
                        format!("cannot read this `{kind}` scheme"),
                    )
                    .note(error.to_string()),
                );
                None
            }
            other => Some(Scheme::Other(other.to_owned())),
        }
    }
}

fn to_model(scheme: SecurityScheme) -> Scheme {
    match scheme {
        SecurityScheme::APIKey { location, name, .. } => Scheme::ApiKey {
            location: match location {
                APIKeyLocation::Query => Location::Query,
                APIKeyLocation::Header => Location::Header,
                APIKeyLocation::Cookie => Location::Cookie,
            },
            name,
            prefix: None,
        },
        SecurityScheme::HTTP { scheme, .. } => match scheme.to_ascii_lowercase().as_str() {
            "bearer" => Scheme::Bearer,
            "basic" => Scheme::Basic,
            _ => Scheme::Other(scheme),
        },
        SecurityScheme::OAuth2 { .. } => Scheme::OAuth2,
        SecurityScheme::OpenIDConnect { .. } => Scheme::OpenIdConnect,
    }
}

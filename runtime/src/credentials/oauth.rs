//! The key `oauth` of an auth file: how an access token is obtained.

use std::path::PathBuf;

use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::Url;
use ring::digest::{Context, SHA256};
use serde_json::{Map, Value};
use toolwright_model::{most_similar, words};
use url::form_urlencoded::{Serializer, byte_serialize};
use zeroize::Zeroizing;

use super::place::NamedFiles;
use crate::secret::Secret;

/// The keys of the object.
const KEYS: [&str; 12] = [
    "grant",
    "token_url",
    "client_id",
    "client_secret",
    "client_authentication",
    "scope",
    "audience",
    "resource",
    "refresh_token_file",
    "subject_token_file",
    "subject",
    "subject_token_type",
];

/// The value of `subject` for the token of the caller.
const CALLER: &str = "caller";

/// The type of a subject token by default.
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";

/// The grant type of token exchange (RFC 8693).
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

words! {
    /// The way to obtain an access token.
    GrantKind {
        /// With the client's own credentials.
        ClientCredentials = "client_credentials",
        /// With a refresh token.
        RefreshToken = "refresh_token",
        /// With the token of a subject (RFC 8693).
        TokenExchange = "token_exchange",
        /// With the code of a person who signs in. It makes no calls.
        AuthorizationCode = "authorization_code",
    }
}

words! {
    /// The way in which a client shows its secret.
    ClientAuthentication {
        /// As HTTP Basic.
        Basic = "basic",
        /// In the body of the request.
        Post = "post",
    }
}

/// A client of an authorization server.
pub(crate) struct OauthClient {
    /// The URL to which the client's secret is sent: the operator's, never a document's.
    pub(crate) token_url: Url,
    pub(crate) grant: Grant,
    client_id: String,
    client_secret: Option<Secret>,
    authentication: ClientAuthentication,
    /// The parameters `scope`, `audience` and `resource`.
    parameters: Vec<(&'static str, String)>,
}

/// The way to obtain an access token, with what it needs.
pub(crate) enum Grant {
    ClientCredentials,
    /// The private file with the refresh token, which the server may replace.
    RefreshToken(PathBuf),
    TokenExchange {
        subject: Subject,
        subject_token_type: String,
    },
    /// The client signs people in at the console, and obtains no token for calls.
    AuthorizationCode,
}

/// The secret that a request for a token contains in addition to the client's own credentials.
#[derive(Clone, Copy)]
pub(crate) enum Presented<'a> {
    Nothing,
    /// The content of the file with the refresh token.
    RefreshToken(&'a Secret),
    Code(&'a AuthorizationCode<'a>),
}

/// The code of a person who has signed in at a provider, with what proves that this program asked for
/// it.
#[derive(Clone, Copy)]
pub struct AuthorizationCode<'a> {
    /// The code.
    pub code: &'a str,
    /// The secret whose digest was in the request for the code (RFC 7636).
    pub verifier: &'a str,
    /// The URL that received the code.
    pub redirect_uri: &'a str,
}

/// The token that is exchanged.
pub(crate) enum Subject {
    /// The same one for every caller.
    Token(Secret),
    /// The one of the caller; none before the caller is known.
    Caller(Option<Secret>),
}

impl Subject {
    const fn token(&self) -> Option<&Secret> {
        match self {
            Self::Token(token) => Some(token),
            Self::Caller(token) => token.as_ref(),
        }
    }
}

impl OauthClient {
    /// Reads the object. Reports every problem.
    pub(super) fn read(value: Value, files: NamedFiles<'_>) -> Result<Self, Vec<String>> {
        let Value::Object(mut fields) = value else {
            return Err(vec!["is not an object".to_owned()]);
        };
        let mut problems = unknown_keys(&fields);
        let mut text = |key: &str| match fields.remove(key) {
            None => None,
            Some(Value::String(text)) if !text.is_empty() => Some(text),
            Some(_) => {
                problems.push(format!("at `{key}` is not a string"));
                None
            }
        };
        let [grant, token_url, client_id, authentication] =
            ["grant", "token_url", "client_id", "client_authentication"].map(&mut text);
        let client_secret = text("client_secret").map(Secret::new);
        let named = ["refresh_token_file", "subject_token_file", "subject"].map(&mut text);
        let subject_token_type = text("subject_token_type");
        let parameters = ["scope", "audience", "resource"];
        let parameters = parameters.map(|name| text(name).map(|value| (name, value)));
        let grant = Grant::read(grant, named, subject_token_type, files, &mut problems);
        let token_url = read_url(token_url).map_err(|problem| problems.push(problem));
        let authentication = match authentication
            .as_deref()
            .map(ClientAuthentication::from_word)
        {
            None => ClientAuthentication::Basic,
            Some(Some(kind)) => kind,
            Some(None) => {
                problems
                    .push("at `client_authentication` is neither `basic` nor `post`".to_owned());
                ClientAuthentication::Basic
            }
        };
        if client_id.is_none() {
            problems.push("has no `client_id`".to_owned());
        }
        match (token_url, grant, client_id) {
            (Ok(token_url), Some(grant), Some(client_id)) if problems.is_empty() => Ok(Self {
                token_url,
                grant,
                client_id,
                client_secret,
                authentication,
                parameters: parameters.into_iter().flatten().collect(),
            }),
            _ => Err(problems),
        }
    }

    /// Returns the header `Authorization` of the request for a token, if there is one.
    pub(crate) fn authorization(&self) -> Option<Secret> {
        let secret = self.client_secret.as_ref()?;
        if self.authentication != ClientAuthentication::Basic {
            return None;
        }
        let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let encoded = Zeroizing::new(encode(secret.expose()));
        let pair = format!("{}:{}", encode(&self.client_id), *encoded);
        let pair = Secret::new(pair);
        let header = format!("Basic {}", BASE64_STANDARD.encode(pair.expose()));
        Some(Secret::new(header))
    }

    /// Returns the id of the client, which is no secret.
    pub(crate) fn id(&self) -> &str {
        &self.client_id
    }

    /// Returns the body of the request for a token.
    pub(crate) fn body(&self, presented: Presented<'_>) -> Secret {
        let mut form = Serializer::new(String::new());
        match &self.grant {
            Grant::ClientCredentials => {
                form.append_pair("grant_type", "client_credentials");
            }
            Grant::RefreshToken(_) => {
                form.append_pair("grant_type", "refresh_token");
                if let Presented::RefreshToken(token) = presented {
                    form.append_pair("refresh_token", token.expose());
                }
            }
            Grant::AuthorizationCode => {
                form.append_pair("grant_type", "authorization_code");
                if let Presented::Code(code) = presented {
                    form.append_pair("code", code.code);
                    form.append_pair("redirect_uri", code.redirect_uri);
                    form.append_pair("code_verifier", code.verifier);
                }
            }
            Grant::TokenExchange {
                subject,
                subject_token_type,
            } => {
                form.append_pair("grant_type", TOKEN_EXCHANGE);
                let token = subject.token().map(Secret::expose);
                form.extend_pairs(token.map(|token| ("subject_token", token)));
                form.append_pair("subject_token_type", subject_token_type);
            }
        }
        form.extend_pairs(&self.parameters);
        match (&self.client_secret, self.authentication) {
            (Some(_), ClientAuthentication::Basic) => {}
            (secret, _) => {
                form.append_pair("client_id", &self.client_id);
                form.extend_pairs(
                    secret
                        .iter()
                        .map(|secret| ("client_secret", secret.expose())),
                );
            }
        }
        Secret::new(form.finish())
    }

    /// Returns the secrets of the client.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = Secret> + use<'_> {
        let subject = match &self.grant {
            Grant::TokenExchange { subject, .. } => subject.token().cloned(),
            Grant::ClientCredentials | Grant::RefreshToken(_) | Grant::AuthorizationCode => None,
        };
        let pair = self.authorization();
        let pair = pair.and_then(|header| header.without_first_word());
        self.client_secret
            .clone()
            .into_iter()
            .chain(subject)
            .chain(pair)
    }

    /// Exchanges the token of this caller, if the client exchanges those of callers. False if it does and
    /// the caller has none.
    pub(crate) fn set_caller(&mut self, token: Option<&Secret>) -> bool {
        let Grant::TokenExchange { subject, .. } = &mut self.grant else {
            return true;
        };
        let Subject::Caller(subject) = subject else {
            return true;
        };
        *subject = token.cloned();
        subject.is_some()
    }

    /// Checks whether the tokens that it obtains belong to one caller.
    pub(crate) const fn is_for_caller(&self) -> bool {
        let Grant::TokenExchange { subject, .. } = &self.grant else {
            return false;
        };
        matches!(subject, Subject::Caller(_))
    }

    /// Returns a digest of everything that a token depends on. A refresh token is not a part of it,
    /// since the server replaces it.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut context = Context::new(&SHA256);
        let body = self.body(Presented::Nothing);
        let header = self.authorization();
        let header = header.as_ref().map_or("", Secret::expose);
        let file = match &self.grant {
            Grant::RefreshToken(file) => file.display().to_string(),
            Grant::ClientCredentials | Grant::TokenExchange { .. } | Grant::AuthorizationCode => {
                String::new()
            }
        };
        for part in [self.token_url.as_str(), body.expose(), header, &file] {
            context.update(&part.len().to_be_bytes());
            context.update(part.as_bytes());
        }
        let mut digest = [0; 32];
        digest.copy_from_slice(context.finish().as_ref());
        digest
    }
}

impl Grant {
    fn read(
        kind: Option<String>,
        [refresh_file, subject_file, subject]: [Option<String>; 3],
        subject_token_type: Option<String>,
        files: NamedFiles<'_>,
        problems: &mut Vec<String>,
    ) -> Option<Self> {
        let words = || GrantKind::ALL.iter().map(|kind| format!("`{kind}`"));
        let kind = kind.as_deref().and_then(GrantKind::from_word);
        let mut lacks = |key: &str| problems.push(format!("has no `{key}`"));
        if let Some(subject) = subject {
            let is_exchange = kind == Some(GrantKind::TokenExchange);
            if !is_exchange || subject != CALLER || refresh_file.or(subject_file).is_some() {
                let message = "has a `subject`, which is `\"caller\"` for `token_exchange` and excludes files";
                problems.push(message.to_owned());
                return None;
            }
            return Some(Self::TokenExchange {
                subject: Subject::Caller(None),
                subject_token_type: subject_token_type.unwrap_or_else(|| ACCESS_TOKEN.to_owned()),
            });
        }
        match (kind, refresh_file, subject_file) {
            (Some(GrantKind::ClientCredentials), None, None) => Some(Self::ClientCredentials),
            (Some(GrantKind::AuthorizationCode), None, None) => Some(Self::AuthorizationCode),
            (Some(GrantKind::RefreshToken), Some(file), None) => {
                let path = files.path(&file).map_err(|error| {
                    problems.push(format!("at `refresh_token_file` {file}: {error}"));
                });
                path.ok().map(Self::RefreshToken)
            }
            (Some(GrantKind::TokenExchange), None, Some(file)) => {
                let text = files.secret(&file);
                let subject_token = text.map_err(|error| {
                    problems.push(format!("at `subject_token_file` {file}: {error}"));
                });
                Some(Self::TokenExchange {
                    subject: Subject::Token(subject_token.ok()?.trimmed()),
                    subject_token_type: subject_token_type
                        .unwrap_or_else(|| ACCESS_TOKEN.to_owned()),
                })
            }
            (Some(GrantKind::RefreshToken), None, _) => {
                lacks("refresh_token_file");
                None
            }
            (Some(GrantKind::TokenExchange), _, None) => {
                lacks("subject_token_file");
                None
            }
            (Some(kind), ..) => {
                problems.push(format!("has a file that `{kind}` does not use"));
                None
            }
            (None, ..) => {
                let words: Vec<_> = words().collect();
                problems.push(format!("has no `grant` out of {}", words.join(", ")));
                None
            }
        }
    }
}

fn unknown_keys(fields: &Map<String, Value>) -> Vec<String> {
    let unknown = fields.keys().filter(|key| !KEYS.contains(&key.as_str()));
    let problems = unknown.map(|key| match most_similar(key, KEYS) {
        Some(similar) => format!("has the unknown key `{key}`; did you mean `{similar}`?"),
        None => format!("has the unknown key `{key}`"),
    });
    problems.collect()
}

fn read_url(text: Option<String>) -> Result<Url, String> {
    let text = text.ok_or("has no `token_url`")?;
    let url = Url::parse(&text).map_err(|_| "at `token_url` is not a URL".to_owned())?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !is_web || has_user || url.fragment().is_some() {
        return Err("at `token_url` is not the URL of a token endpoint".to_owned());
    }
    Ok(url)
}

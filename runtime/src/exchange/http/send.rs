//! One exchange with a service: the request, redirects within the origin, and the bounded answer.

use std::time::Duration;

use reqwest::{
    Client, Method, Request, Response, StatusCode, Url,
    header::{
        ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION,
    },
};
use tokio::time::{Instant, timeout_at};
use toolwright_policy::{Target, TargetScope};
use tracing::Span;

use super::{
    Sending,
    authorise::apply,
    client::Clients,
    fault, gzip,
    receive::{RawAnswer, receive},
    trace,
    upload::{self, Attachments},
};
use crate::{
    credentials::CredentialsError, done::Done, error::ToolError, exchange::request::PlannedRequest,
    progress::Listener, target::Egress,
};

/// The most redirects that are followed.
const MAX_REDIRECTS: u32 = 5;

/// The longest URL that the HTTP library sends, in bytes.
const LONGEST_URL: usize = 65_534;

/// A request as it goes out once; a redirect makes another one of it.
struct Hop<'a> {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<&'a [u8]>,
    planned: &'a PlannedRequest,
}

/// Sends the request and reads the answer, up to the bounds. The span counts the redirects.
pub(super) async fn send(
    client: &Client,
    sending: &Sending<'_>,
    deadline: Instant,
    span: &Span,
) -> Result<RawAnswer, ToolError> {
    let mut hop = Hop::initial(sending.request)?;
    for redirects in 0..=MAX_REDIRECTS {
        let request = hop.request(sending.attachments, sending.progress);
        let mut request = match redirects {
            0 => request?,
            _ => request.map_err(fault::after_redirect)?,
        };
        apply(sending.placements, &mut request)?;
        add_headers(sending.headers, &mut request)?;
        if redirects == 0 {
            sending.attempts.begin();
        }
        let answered = timeout_at(deadline, client.execute(request)).await;
        let answered = answered.map_err(|_| fault::timed_out(sending.timeout()))?;
        let response = answered.map_err(|error| {
            let error = fault::unanswered(&peer(sending, &hop.url), &error);
            if redirects > 0 {
                return fault::after_redirect(error);
            }
            if error.has_sent_nothing() {
                sending.attempts.set_unsent();
            }
            error
        })?;
        match redirect_target(&response) {
            Some(location) => {
                hop = hop.follow(response.status(), &location)?;
                hop.check(sending.targets)?;
                let repetitions = sending.attempts.count().saturating_sub(1);
                span.record(trace::RESENDS, repetitions + redirects + 1);
            }
            None => {
                let (method, status) = (sending.request.method, response.status().as_u16());
                sending.attempts.set_done(Done::from_status(method, status));
                let peer = peer(sending, &hop.url);
                let answer = receive(sending, &peer, response, deadline).await?;
                return Ok(RawAnswer {
                    follows_redirect: redirects > 0,
                    ..answer
                });
            }
        }
    }
    let message = format!("the service redirects more than {MAX_REDIRECTS} times");
    Err(fault::redirect(message))
}

/// Sends a request once, and returns the status of the response.
pub(super) async fn post(
    clients: &Clients,
    request: &PlannedRequest,
    egress: &Egress,
    timeout: Duration,
) -> Result<u16, ToolError> {
    let hop = Hop::initial(request)?;
    egress.check(&hop.url).map_err(CredentialsError::from)?;
    let client = clients.client_for(&hop.url, egress)?;
    let peer = hop.url.origin().ascii_serialization();
    let answered = timeout_at(
        Instant::now() + timeout,
        client.execute(hop.request(None, None)?),
    )
    .await;
    let answered = answered.map_err(|_| fault::timed_out(timeout))?;
    let response = answered.map_err(|error| fault::unanswered(&peer, &error))?;
    Ok(response.status().as_u16())
}

impl<'a> Hop<'a> {
    fn initial(planned: &'a PlannedRequest) -> Result<Self, ToolError> {
        if planned.url.as_str().len() > LONGEST_URL {
            let problem = format!("its URL is longer than {LONGEST_URL} bytes");
            return Err(fault::unsendable(&problem));
        }
        let method = Method::from_bytes(planned.method.word().as_bytes())
            .map_err(|_| fault::unsendable("its method is invalid"))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &planned.headers {
            let (name, value) = header(name, value)?;
            headers.append(name, value);
        }
        let body = planned.body.as_deref();
        Ok(Self {
            method,
            url: planned.url.clone(),
            headers,
            body,
            planned,
        })
    }

    /// Checks that the scope of the call allows the target of a redirect.
    fn check(&self, targets: &TargetScope) -> Result<(), ToolError> {
        let method = toolwright_model::Method::from_word(self.method.as_str());
        let allowed = method.is_some_and(|method| {
            let url = self.url.as_str();
            targets.allows(Target { method, url })
        });
        if allowed {
            return Ok(());
        }
        let message = "the service redirects to a target outside of the scope of the call";
        Err(fault::redirect(message))
    }

    fn request(
        &self,
        attachments: Option<Attachments<'_>>,
        progress: Option<&Listener>,
    ) -> Result<Request, ToolError> {
        let mut request = Request::new(self.method.clone(), self.url.clone());
        *request.headers_mut() = self.headers.clone();
        match self.body {
            Some(body) if self.planned.files.is_empty() => {
                *request.body_mut() = Some(body.to_vec().into());
            }
            Some(body) => {
                *request.body_mut() =
                    Some(upload::body(self.planned, body, attachments, progress)?);
            }
            None if [Method::POST, Method::PUT, Method::PATCH].contains(&self.method) => {
                request
                    .headers_mut()
                    .insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
            }
            None => {}
        }
        Ok(request)
    }

    /// Returns the request that a redirect asks for. It must stay on the origin, and it must not
    /// turn a call that changes something into one that does not, since that would look like
    /// success.
    fn follow(mut self, status: StatusCode, location: &str) -> Result<Self, ToolError> {
        let target = self.url.join(location);
        let target =
            target.map_err(|_| fault::redirect("the service sent a redirect without a URL"))?;
        if target.origin() != self.url.origin() {
            let (from, to) = (self.url.origin(), target.origin());
            let (from, to) = (from.ascii_serialization(), to.ascii_serialization());
            return Err(fault::redirect_to(&from, &to));
        }
        if target.as_str().len() > LONGEST_URL {
            let message = "the service redirects to a URL that is too long";
            return Err(fault::redirect(message));
        }
        let keeps_method = self.method == Method::GET
            || self.method == Method::HEAD
            || matches!(
                status,
                StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
            );
        if !keeps_method && status != StatusCode::SEE_OTHER {
            let (code, method) = (status.as_u16(), &self.method);
            let message = format!(
                "the service redirects a {method} with the status {code}, which would drop the request body; correct the base URL or the path"
            );
            return Err(fault::redirect(message));
        }
        if !keeps_method {
            self.method = Method::GET;
            self.body = None;
            self.headers.remove(CONTENT_TYPE);
        }
        self.url = target;
        Ok(self)
    }
}

/// Adds the headers that no argument determines.
fn add_headers(own: &[(String, String)], request: &mut Request) -> Result<(), ToolError> {
    let headers = request.headers_mut();
    if let Some(accepted) = gzip::ACCEPTED {
        let accepted = HeaderValue::from_static(accepted);
        headers.entry(ACCEPT_ENCODING).or_insert(accepted);
    }
    for (name, value) in own {
        let (name, value) = header(name, value)?;
        headers.insert(name, value);
    }
    Ok(())
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ToolError> {
    let unsendable = || fault::unsendable(&format!("the header `{name}` is invalid"));
    let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable())?;
    let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| unsendable())?;
    Ok((header, value))
}

/// Returns the planned headers, and those that no argument determines.
#[cfg(feature = "grpc")]
pub(super) fn planned_headers(sending: &Sending<'_>) -> Result<HeaderMap, ToolError> {
    let mut headers = HeaderMap::new();
    for (name, value) in sending.request.headers.iter().chain(sending.headers) {
        let (name, value) = header(name, value)?;
        headers.append(name, value);
    }
    Ok(headers)
}

/// Who is spoken to, in words.
pub(super) fn peer(sending: &Sending<'_>, url: &Url) -> String {
    match sending.socket {
        Some(socket) => format!("unix:{}", socket.display()),
        None => url.origin().ascii_serialization(),
    }
}

fn redirect_target(response: &Response) -> Option<String> {
    let redirects = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = redirects.then(|| response.headers().get(LOCATION))??;
    location.to_str().ok().map(str::to_owned)
}

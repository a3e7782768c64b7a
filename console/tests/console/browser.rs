//! A browser without JavaScript: it keeps the cookie, and sends forms as a browser does.
#![cfg(test)]

use reqwest::{Client, Method, RequestBuilder, Response, redirect::Policy};

use crate::world::World;

/// A browser of one person.
pub(crate) struct Browser {
    client: Client,
    origin: String,
    cookie: Option<String>,
}

/// A page.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) text: String,
    pub(crate) location: String,
}

impl Browser {
    /// A browser of nobody.
    pub(crate) fn new(world: &World) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self {
            client,
            origin: world.origin(),
            cookie: None,
        }
    }

    /// A browser of a person who has signed in.
    pub(crate) async fn of(world: &World, person: &str) -> Self {
        let mut browser = Self::new(world);
        let link = world.link(person).await;
        let page = browser.sign_in(&link).await;
        assert_eq!(page.status, 303, "{}", page.text);
        browser
    }

    /// Opens a link and sends its form.
    pub(crate) async fn sign_in(&mut self, link: &str) -> Page {
        let path = link.strip_prefix(&self.origin).unwrap();
        let page = self.get(path).await;
        if page.status != 200 {
            return page;
        }
        let fields = [("link", link.rsplit('/').next().unwrap())];
        let request = self.request(Method::POST, "/sign-in");
        let request = request
            .header("origin", self.origin.clone())
            .body(encoded(&fields));
        let answer = request.send().await.unwrap();
        let cookie = answer.headers().get("set-cookie").cloned();
        if let Some(cookie) = cookie {
            let cookie = cookie.to_str().unwrap().to_owned();
            for attribute in ["HttpOnly", "SameSite=Strict", "Path=/"] {
                assert!(cookie.contains(attribute), "{cookie}");
            }
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        read(answer).await
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.origin);
        let request = self.client.request(method, url);
        match &self.cookie {
            Some(cookie) => request.header("cookie", cookie),
            None => request,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Page {
        read(self.request(Method::GET, path).send().await.unwrap()).await
    }

    /// Sends a form of a page: with the fields that the page hides, and these.
    pub(crate) async fn submit(&self, page: &Page, path: &str, fields: &[(&str, &str)]) -> Page {
        let mut all = hidden(&page.text);
        all.extend(
            fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        self.post(path, &all).await
    }

    pub(crate) async fn post(&self, path: &str, fields: &[(String, String)]) -> Page {
        let request = self.request(Method::POST, path);
        let request = request
            .header("origin", self.origin.clone())
            .body(encoded(fields));
        read(request.send().await.unwrap()).await
    }

    pub(crate) fn cookie(&self) -> &str {
        self.cookie.as_deref().unwrap()
    }
}

async fn read(answer: Response) -> Page {
    let location = answer.headers().get("location");
    let location = location.map_or("", |location| location.to_str().unwrap());
    Page {
        status: answer.status().as_u16(),
        location: location.to_owned(),
        text: answer.text().await.unwrap(),
    }
}

/// Encodes the fields of a form.
fn encoded<T: AsRef<str>>(fields: &[(T, T)]) -> String {
    let fields = fields
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_ref()));
    url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}

/// Returns the hidden fields of a page, the last of each name: those of its main form.
fn hidden(page: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for part in page.split("<input type=\"hidden\" ").skip(1) {
        let attribute = |name: &str| {
            let (_, rest) = part.split_once(&format!("{name}=\"")).unwrap();
            rest.split('"').next().unwrap().to_owned()
        };
        let (name, value) = (attribute("name"), attribute("value"));
        fields.retain(|(known, _)| *known != name);
        fields.push((name, value));
    }
    fields
}

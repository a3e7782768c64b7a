//! Reflection: a server describes its own services.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
    vec,
};

use bytes::Bytes;
use futures_core::Stream;
use http::uri::PathAndQuery;
use prost::Message;
use reqwest::{Client, Method, Request, Url};
use tokio::time::{Instant, timeout_at};
use tonic::{Code, Status, client::Grpc};

use super::{
    channel::{Channel, Failed},
    codec::Bytewise,
};
use crate::{error::ToolError, exchange::http::fault};

/// The method of the service.
const PATH: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// The method of its first version, which has the same messages.
const FIRST_PATH: &str = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

/// The time for all questions.
const TIME: Duration = Duration::from_secs(60);

/// The most rounds of questions: files import each other less deeply.
const MOST_ROUNDS: usize = 64;

/// The most services, and the most files.
const MOST_ITEMS: usize = 10_000;

/// The longest message of a server that is repeated, in characters.
const LONGEST_MESSAGE: usize = 200;

/// The most bytes of all descriptors.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// One of the questions.
#[derive(Clone, PartialEq, Message)]
struct Question {
    #[prost(string, optional, tag = "3")]
    file: Option<String>,
    #[prost(string, optional, tag = "4")]
    symbol: Option<String>,
    #[prost(string, optional, tag = "7")]
    list: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct Answer {
    #[prost(message, optional, tag = "4")]
    files: Option<Files>,
    #[prost(message, optional, tag = "6")]
    services: Option<Services>,
    #[prost(message, optional, tag = "7")]
    error: Option<Problem>,
}

/// Descriptors of files, and also a `FileDescriptorSet`, which has the same bytes.
#[derive(Clone, PartialEq, Message)]
struct Files {
    #[prost(bytes = "vec", repeated, tag = "1")]
    file: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct Services {
    #[prost(message, repeated, tag = "1")]
    service: Vec<Named>,
}

#[derive(Clone, PartialEq, Message)]
struct Named {
    #[prost(string, tag = "1")]
    name: String,
}

#[derive(Clone, PartialEq, Message)]
struct Problem {
    #[prost(string, tag = "2")]
    message: String,
}

impl Problem {
    fn to_error(&self) -> ToolError {
        let message = cut(&self.message);
        fault::unusable(200, format!("the server cannot describe itself: {message}"))
    }
}

/// The parts of a `FileDescriptorProto` that are read.
#[derive(Clone, PartialEq, Message)]
struct File {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, repeated, tag = "3")]
    dependency: Vec<String>,
}

/// Asks a server for the descriptors of its services and of all that they import. Returns a
/// `FileDescriptorSet`.
pub(in crate::exchange) async fn reflect(client: &Client, url: &Url) -> Result<Vec<u8>, ToolError> {
    let deadline = Instant::now() + TIME;
    let list = Question {
        list: Some(String::new()),
        ..Question::default()
    };
    let mut server = Server {
        client,
        url,
        deadline,
        path: PATH,
    };
    let listed = match server.ask(vec![list.clone()]).await {
        Err(Unanswered::Unimplemented) => {
            server.path = FIRST_PATH;
            server.ask(vec![list]).await
        }
        answered => answered,
    };
    let listed = listed.map_err(Unanswered::into_error)?;
    if let Some(problem) = listed.iter().find_map(|answer| answer.error.as_ref()) {
        return Err(problem.to_error());
    }
    let services = listed.into_iter().filter_map(|answer| answer.services);
    let names: Vec<Named> = services.flat_map(|services| services.service).collect();
    if names.len() > MOST_ITEMS {
        let message = format!("the server has more than {MOST_ITEMS} services");
        return Err(fault::unusable(200, message));
    }
    let questions: Vec<Question> = names
        .into_iter()
        .filter(|service| !service.name.starts_with("grpc.reflection."))
        .map(|service| Question {
            symbol: Some(service.name),
            ..Question::default()
        })
        .collect();
    if questions.is_empty() {
        let message = "the server lists no services".to_owned();
        return Err(fault::unusable(200, message));
    }
    server.collect(questions).await
}

/// The reason why there is no answer.
enum Unanswered {
    /// The server has no reflection of this version.
    Unimplemented,
    Failed(ToolError),
}

struct Server<'s> {
    client: &'s Client,
    url: &'s Url,
    deadline: Instant,
    path: &'static str,
}

impl Server<'_> {
    /// Asks until no file that another one imports is missing.
    async fn collect(&self, mut questions: Vec<Question>) -> Result<Vec<u8>, ToolError> {
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut bytes = 0;
        for _ in 0..MOST_ROUNDS {
            if questions.is_empty() {
                let file = files.into_values().collect();
                return Ok(Files { file }.encode_to_vec());
            }
            let mut missing = BTreeSet::new();
            for answer in self.ask(questions).await.map_err(Unanswered::into_error)? {
                if let Some(problem) = answer.error {
                    return Err(problem.to_error());
                }
                for file in answer.files.unwrap_or_default().file {
                    let read = File::decode(file.as_slice());
                    let read = read.map_err(|_| unreadable())?;
                    bytes += file.len();
                    missing.extend(read.dependency);
                    files.insert(read.name, file);
                }
            }
            if bytes > MOST_BYTES {
                return Err(unreadable());
            }
            missing.retain(|name| !files.contains_key(name));
            if files.len() + missing.len() > MOST_ITEMS {
                let message = format!("the server's services have more than {MOST_ITEMS} files");
                return Err(fault::unusable(200, message));
            }
            questions = missing
                .into_iter()
                .map(|name| Question {
                    file: Some(name),
                    ..Question::default()
                })
                .collect();
        }
        let message = "the server's files import each other too deeply";
        Err(fault::unusable(200, message.to_owned()))
    }

    /// Asks all questions in one stream.
    async fn ask(&self, questions: Vec<Question>) -> Result<Vec<Answer>, Unanswered> {
        let mut request = Request::new(Method::POST, self.url.clone());
        request.url_mut().set_path(self.path);
        let channel = Channel::new(self.client.clone(), request);
        let failed = channel.failed();
        let questions = Questions(questions.into_iter());
        let path = PathAndQuery::from_static(self.path);
        let mut grpc = Grpc::new(channel).max_decoding_message_size(MOST_BYTES);
        let asked = async {
            let request = tonic::Request::new(questions);
            let stream = grpc.streaming(request, path, Bytewise).await?;
            let mut stream = stream.into_inner();
            let mut answers = Vec::new();
            let mut bytes = 0;
            while let Some(answer) = stream.message().await? {
                bytes += answer.len();
                if bytes > MOST_BYTES {
                    return Err(Status::out_of_range("the descriptors are too large"));
                }
                let answer = Answer::decode(answer);
                answers.push(answer.map_err(|_| Status::internal("it is not readable"))?);
            }
            Ok(answers)
        };
        let asked = timeout_at(self.deadline, asked).await;
        let asked = asked.map_err(|_| Unanswered::Failed(fault::timed_out(TIME)))?;
        match (asked, failed.take()) {
            (Ok(answers), None) => Ok(answers),
            (_, Some(Failed::Unanswered(error))) => {
                let peer = self.url.origin().ascii_serialization();
                Err(Unanswered::Failed(fault::unanswered(&peer, &error)))
            }
            (_, Some(Failed::Body | Failed::Http(_))) => {
                let message = "the server does not answer in gRPC".to_owned();
                Err(Unanswered::Failed(fault::unusable(200, message)))
            }
            (Err(status), None) if status.code() == Code::Unimplemented => {
                Err(Unanswered::Unimplemented)
            }
            (Err(status), None) => {
                let message = cut(status.message());
                let message = format!("the server refuses to describe itself: {message}");
                Err(Unanswered::Failed(fault::unusable(200, message)))
            }
        }
    }
}

impl Unanswered {
    fn into_error(self) -> ToolError {
        match self {
            Self::Unimplemented => {
                let message =
                    "the server has no reflection: use its `.proto` file or a descriptor set";
                fault::unusable(200, message.to_owned())
            }
            Self::Failed(error) => error,
        }
    }
}

/// The questions as a stream.
struct Questions(vec::IntoIter<Question>);

impl Stream for Questions {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let next = self.0.next();
        Poll::Ready(next.map(|question| question.encode_to_vec().into()))
    }
}

/// Returns the beginning of a server's message.
fn cut(message: &str) -> String {
    message.chars().take(LONGEST_MESSAGE).collect()
}

fn unreadable() -> ToolError {
    fault::unusable(200, "the server's descriptors cannot be read".to_owned())
}

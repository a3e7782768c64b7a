//! The faults of the way to a service, and of the service's answers.

use std::fmt;

use rand::{RngExt, rngs::StdRng};

/// One fault, which the proxy injects into one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// No fault.
    None,
    // Before the service receives anything.
    /// Nothing listens.
    Refuse,
    /// The connection is reset before the request is read.
    ResetBefore,
    /// It is reset after a part of the request.
    ResetWithin,
    /// It is reset after the whole request.
    ResetAfter,
    /// The request is read, and nothing follows.
    Silence,
    /// The proxy is busy: 503 with `Retry-After`.
    Busy,
    /// The proxy allows fewer requests: 429 with `Retry-After` as a date.
    Limited,
    /// The proxy has no answer: 502.
    BadGateway,
    /// What comes is not HTTP.
    Garbage,
    /// An endless head.
    EndlessHead,
    // After the service has carried the request out.
    /// The connection is reset before the answer.
    LoseAnswer,
    /// It is reset within the head of the answer.
    LoseHead,
    /// It is reset within the body of the answer.
    LoseBody,
    /// The answer never comes.
    Delay,
    /// The answer comes a byte at a time, in time.
    Trickle,
    /// The answer comes too slowly.
    Crawl,
    /// The proxy answers 500.
    Crash,
    /// The proxy answers 504.
    GatewayTimeout,
    /// The proxy answers 503 with `Retry-After`.
    BusyAfter,
    /// What comes is not HTTP.
    GarbageAfter,
    /// The body has no end.
    EndlessBody,
    /// The stated length is shorter than the body.
    ShortLength,
    /// The stated length is longer than the body.
    LongLength,
    /// The chunked body ends within a chunk.
    CutChunk,
    /// The size of a chunk is no number.
    BadChunk,
    /// The chunked body is whole.
    Chunked,
    /// The answer is one of HTTP/1.0, which ends with the connection.
    Old,
    /// The body is compressed.
    Gzip,
    /// The compressed body is damaged.
    BadGzip,
    /// The compressed body is cut.
    CutGzip,
    /// The compressed body expands without measure.
    Bomb,
    /// The body has an encoding that nobody asked for.
    Unasked,
    /// Interim answers precede the answer.
    Interim,
    /// Interim answers without end.
    EndlessInterim,
    /// The answer redirects to another origin.
    RedirectAway,
    /// The request is delivered twice, as a proxy may do with an idempotent one; the answer is the
    /// second one.
    Twice,
}

const ALL: &[Fault] = &[
    Fault::None,
    Fault::Refuse,
    Fault::ResetBefore,
    Fault::ResetWithin,
    Fault::ResetAfter,
    Fault::Silence,
    Fault::Busy,
    Fault::Limited,
    Fault::BadGateway,
    Fault::Garbage,
    Fault::EndlessHead,
    Fault::LoseAnswer,
    Fault::LoseHead,
    Fault::LoseBody,
    Fault::Delay,
    Fault::Trickle,
    Fault::Crawl,
    Fault::Crash,
    Fault::GatewayTimeout,
    Fault::BusyAfter,
    Fault::GarbageAfter,
    Fault::EndlessBody,
    Fault::ShortLength,
    Fault::LongLength,
    Fault::CutChunk,
    Fault::BadChunk,
    Fault::Chunked,
    Fault::Old,
    Fault::Gzip,
    Fault::BadGzip,
    Fault::CutGzip,
    Fault::Bomb,
    Fault::Unasked,
    Fault::Interim,
    Fault::EndlessInterim,
    Fault::RedirectAway,
    Fault::Twice,
];

impl Fault {
    /// Every fault.
    pub(crate) const ALL: &'static [Self] = ALL;

    pub(crate) fn random(random: &mut StdRng) -> Self {
        let index = random.random_range(0..ALL.len());
        ALL.get(index).copied().unwrap_or(Self::None)
    }

    /// Returns whether the service receives the request.
    pub(crate) const fn delivers(self) -> bool {
        !matches!(
            self,
            Self::Refuse
                | Self::ResetBefore
                | Self::ResetWithin
                | Self::ResetAfter
                | Self::Silence
                | Self::Busy
                | Self::Limited
                | Self::BadGateway
                | Self::Garbage
                | Self::EndlessHead
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

//! Forwards events to real servers: while they answer, while they are away, and after a kill.

mod forwarding;
mod nats;
mod otlp;
mod postgres;
mod support;
mod tls;

//! The toolwright command.

//! Adapters generated from the specifications in specs/.

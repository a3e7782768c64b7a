//! Reads API specifications and writes typed, governed tool adapters.

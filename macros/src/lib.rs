//! The tool attribute and the role derive of Toolwright.

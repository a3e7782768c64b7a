//! Lists in messages.

use std::fmt::{Display, Formatter, Result};

/// Writes items with a separator between them.
///
/// # Errors
/// The error of the formatter.
pub fn write_joined<T: Display>(
    f: &mut Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    separator: &str,
) -> Result {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

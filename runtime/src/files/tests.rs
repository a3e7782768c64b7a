//! The texts of files, and the end of a file that changed.

#![cfg(test)]

use super::*;

#[test]
fn names_and_types_are_plain() {
    for (suggested, plain) in [
        ("report (1).pdf", Some("report 1.pdf")),
        ("../../etc/passwd", Some("passwd")),
        ("C:\\a\\b.txt", Some("b.txt")),
        ("a\r\nSet-Cookie: b", Some("aSet-Cookie b")),
        ("..", None),
        ("folder/", None),
        ("\u{202e}\u{200b}", None),
    ] {
        assert_eq!(plain_name(suggested).as_deref(), plain, "{suggested:?}");
    }
    assert_eq!(plain_name(&"x".repeat(500)).unwrap().len(), 100);
    for (given, media_type) in [
        (Some("Text/CSV; charset=utf-8"), "text/csv"),
        (Some("image/svg+xml"), "image/svg+xml"),
        (Some("text"), "application/octet-stream"),
        (Some("a/b/c"), "application/octet-stream"),
        (Some("text/\u{1b}[31m"), "application/octet-stream"),
        (None, "application/octet-stream"),
    ] {
        assert_eq!(media_type_of(given), media_type);
    }
}

#[test]
fn a_handle_is_neither_base64_nor_a_path() {
    let handle = FileHandle::random().unwrap();
    assert_eq!(handle.to_string().parse(), Ok(handle.clone()));
    assert_ne!(FileHandle::random().unwrap(), handle);
    for other in [
        "file-",
        "file-../../0123456789abcdef01234567",
        "file-0123456789ABCDEF0123456789ABCDEF",
        "0123456789abcdef0123456789abcdef",
        "file-0123456789abcdef0123456789abcdef0",
    ] {
        assert!(other.parse::<FileHandle>().is_err(), "{other}");
    }
}

//! The methods of HTTP: those that OpenAPI has a key for, and the others of the IANA registry.

use crate::words::words;

words! {
    /// An HTTP method.
    Method {
        /// GET.
        Get = "GET",
        /// PUT.
        Put = "PUT",
        /// POST.
        Post = "POST",
        /// DELETE.
        Delete = "DELETE",
        /// OPTIONS.
        Options = "OPTIONS",
        /// HEAD.
        Head = "HEAD",
        /// PATCH.
        Patch = "PATCH",
        /// TRACE.
        Trace = "TRACE",
        /// QUERY: a safe request with a body.
        Query = "QUERY",
        /// ACL (RFC 3744).
        Acl = "ACL",
        /// BASELINE-CONTROL (RFC 3253).
        BaselineControl = "BASELINE-CONTROL",
        /// BIND (RFC 5842).
        Bind = "BIND",
        /// CHECKIN (RFC 3253).
        Checkin = "CHECKIN",
        /// CHECKOUT (RFC 3253).
        Checkout = "CHECKOUT",
        /// COPY (RFC 4918).
        Copy = "COPY",
        /// LABEL (RFC 3253).
        Label = "LABEL",
        /// LINK (RFC 2068).
        Link = "LINK",
        /// LOCK (RFC 4918).
        Lock = "LOCK",
        /// MERGE (RFC 3253).
        Merge = "MERGE",
        /// MKACTIVITY (RFC 3253).
        Mkactivity = "MKACTIVITY",
        /// MKCALENDAR (RFC 4791).
        Mkcalendar = "MKCALENDAR",
        /// MKCOL (RFC 4918).
        Mkcol = "MKCOL",
        /// MKREDIRECTREF (RFC 4437).
        Mkredirectref = "MKREDIRECTREF",
        /// MKWORKSPACE (RFC 3253).
        Mkworkspace = "MKWORKSPACE",
        /// MOVE (RFC 4918).
        Move = "MOVE",
        /// ORDERPATCH (RFC 3648).
        Orderpatch = "ORDERPATCH",
        /// PROPFIND (RFC 4918).
        Propfind = "PROPFIND",
        /// PROPPATCH (RFC 4918).
        Proppatch = "PROPPATCH",
        /// PURGE, which caches know and the registry does not.
        Purge = "PURGE",
        /// REBIND (RFC 5842).
        Rebind = "REBIND",
        /// REPORT (RFC 3253).
        Report = "REPORT",
        /// SEARCH (RFC 5323).
        Search = "SEARCH",
        /// UNBIND (RFC 5842).
        Unbind = "UNBIND",
        /// UNCHECKOUT (RFC 3253).
        Uncheckout = "UNCHECKOUT",
        /// UNLINK (RFC 2068).
        Unlink = "UNLINK",
        /// UNLOCK (RFC 4918).
        Unlock = "UNLOCK",
        /// UPDATE (RFC 3253).
        Update = "UPDATE",
        /// UPDATEREDIRECTREF (RFC 4437).
        Updateredirectref = "UPDATEREDIRECTREF",
        /// VERSION-CONTROL (RFC 3253).
        VersionControl = "VERSION-CONTROL",
    }
}

impl Method {
    /// The methods for which a path item of OpenAPI has a key, in the order of its specification.
    pub const WITH_KEY: &'static [Self] = &[
        Self::Get,
        Self::Put,
        Self::Post,
        Self::Delete,
        Self::Options,
        Self::Head,
        Self::Patch,
        Self::Trace,
        Self::Query,
    ];

    /// Checks whether HTTP defines the method as safe.
    #[must_use]
    pub const fn is_safe(self) -> bool {
        matches!(
            self,
            Self::Get
                | Self::Head
                | Self::Options
                | Self::Trace
                | Self::Query
                | Self::Propfind
                | Self::Report
                | Self::Search
        )
    }

    /// Checks whether HTTP defines the method as idempotent.
    #[must_use]
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::Post | Self::Patch | Self::Lock)
    }
}

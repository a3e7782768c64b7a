CREATE TABLE migration (
    number BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    applied_at BIGINT NOT NULL
);
-- One override for each tool. Without a row, the tool's own default applies.
CREATE TABLE tool_state (
    tool TEXT NOT NULL PRIMARY KEY,
    enabled BIGINT NOT NULL CHECK (enabled IN (0, 1)),
    person TEXT NOT NULL,
    reason TEXT NOT NULL,
    changed_at BIGINT NOT NULL
);
-- Times are microseconds since 1970. `request` and `decision` are the signed records.
CREATE TABLE approval (
    id TEXT NOT NULL PRIMARY KEY,
    handle TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL,
    scope TEXT NOT NULL,
    role TEXT NOT NULL,
    tool TEXT NOT NULL,
    standing TEXT NOT NULL
        CHECK (standing IN ('waiting', 'approved', 'rejected', 'used', 'discarded')),
    request TEXT NOT NULL,
    decision TEXT,
    requested_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX approval_digest ON approval (digest);
CREATE INDEX approval_scope ON approval (scope, standing);

-- A link that signs a person in to the console once. Its digest is the SHA-256 of the link's secret.
CREATE TABLE console_link (
    digest TEXT NOT NULL PRIMARY KEY,
    person TEXT NOT NULL,
    issued_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
-- A session of a person at the console. Its digest is the SHA-256 of the cookie, which is stored nowhere.
CREATE TABLE console_session (
    digest TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    person TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    ended_at BIGINT,
    ended_by TEXT,
    reason TEXT
);
-- Calls that wait are listed in the order of their requests.
CREATE INDEX approval_waiting ON approval (standing, requested_at);

-- A token of clients. Its digest is the SHA-256 of the token, which is stored nowhere.
CREATE TABLE token (
    digest TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    workspace TEXT,
    person TEXT NOT NULL,
    reason TEXT NOT NULL,
    issued_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    revoked_at BIGINT,
    revoked_by TEXT,
    revocation TEXT
);

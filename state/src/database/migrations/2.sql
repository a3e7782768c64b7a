-- A standing approval of a role's calls of a tool with these arguments.
CREATE TABLE standing_grant (
    id TEXT NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    tool TEXT NOT NULL,
    record TEXT NOT NULL,
    uses_left BIGINT NOT NULL CHECK (uses_left >= 0),
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    revocation TEXT
);
CREATE INDEX standing_grant_call ON standing_grant (role, tool);

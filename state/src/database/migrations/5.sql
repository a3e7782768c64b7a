-- The standing of a skill: of exactly the file with this digest.
CREATE TABLE skill (
    name TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL,
    standing TEXT NOT NULL,
    person TEXT,
    reason TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    activated_at BIGINT NOT NULL
);
-- A run of a skill that has ended.
CREATE TABLE skill_run (
    id TEXT NOT NULL PRIMARY KEY,
    skill TEXT NOT NULL,
    digest TEXT NOT NULL,
    ended_at BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    step TEXT,
    error TEXT
);
CREATE INDEX skill_run_of ON skill_run (skill, ended_at);

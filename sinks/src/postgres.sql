CREATE SCHEMA toolwright_audit;
CREATE TABLE toolwright_audit.event (
    instance text NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL,
    line text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (instance, seq)
);
CREATE ROLE toolwright_audit LOGIN;
GRANT USAGE ON SCHEMA toolwright_audit TO toolwright_audit;
GRANT SELECT, INSERT (instance, seq, hash, line) ON toolwright_audit.event TO toolwright_audit;

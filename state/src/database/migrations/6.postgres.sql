-- The time of the last use changes often, and no program waits for it.
CREATE TRIGGER announce AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE OF expires_at, ended_at
    ON console_session FOR EACH STATEMENT EXECUTE FUNCTION announce();

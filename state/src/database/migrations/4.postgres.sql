-- The time of the last use changes often, and no program waits for it.
CREATE TRIGGER announce AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE OF role, expires_at, revoked_at
    ON token FOR EACH STATEMENT EXECUTE FUNCTION announce();

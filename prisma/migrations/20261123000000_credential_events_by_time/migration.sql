-- The worker deletes the oldest ones.
CREATE INDEX CONCURRENTLY credential_event_at_idx ON credential_event (at);

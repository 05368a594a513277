-- Whether a browser has signed in to an account before.
CREATE INDEX CONCURRENTLY credential_event_browser_idx ON credential_event (account_id, browser_sha256)
  WHERE browser_sha256 IS NOT NULL;

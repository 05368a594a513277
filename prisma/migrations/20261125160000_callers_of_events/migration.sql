-- Where something was done from: the network, cut short, and a line of what the program said of itself. Of a sign-in, the
-- browser, by which it is known again, and whether it was a new one.
ALTER TABLE credential_event
  ADD COLUMN network inet,
  ADD COLUMN user_agent text,
  ADD COLUMN browser_sha256 bytea,
  ADD COLUMN is_new_browser boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT credential_event_user_agent_is_short CHECK (char_length(user_agent) <= 200) NOT VALID;

-- Sign-in links of operators. A stolen login of the worker must not make an operator of somebody: it can only complete
-- what the operator service has asked for.

-- Asks for a link of an operator. As for customers, the owner of the address is looked up when the mail is sent.
CREATE OR REPLACE FUNCTION mail_ask_operator_link(p_id uuid, p_address text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail (id, kind, address, for_operator) VALUES (p_id, 'sign_in', p_address, true);
  INSERT INTO outbox (id, job, payload) VALUES (p_id, 'send-mail', jsonb_build_object('mailId', p_id));
END $$;

-- Makes the link of such a mail while it has not ended. False if its address is no operator's.
CREATE OR REPLACE FUNCTION mail_make_operator_link(p_mail_id uuid, p_token_sha256 bytea, p_lifetime_ms bigint)
RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO operator_link (token_sha256, operator_id, expires_at)
  SELECT p_token_sha256, o.id, now() + p_lifetime_ms * interval '1 millisecond'
  FROM mail m JOIN operator o ON o.email = m.address AND o.removed_at IS NULL
  WHERE m.id = p_mail_id AND m.for_operator AND m.ended_at IS NULL;
  RETURN FOUND;
END $$;

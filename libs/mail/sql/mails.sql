-- Mails that are to be sent, and what became of them. Each is one row, which is locked while it is sent.

-- A link to sign in was asked for. Whose address it is, if anybody's, is looked up when the mail is sent: until the
-- answer, a stranger is a customer. It is the only mail, and the only job, that the account service can ask for.
CREATE OR REPLACE FUNCTION mail_ask_sign_in(p_id uuid, p_address text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail (id, kind, address) VALUES (p_id, 'sign_in', p_address);
  INSERT INTO outbox (id, job, payload) VALUES (p_id, 'send-mail', jsonb_build_object('mailId', p_id));
END $$;

-- Posts mails again that were posted a while ago and have not ended: the queue may have lost their jobs. One that it
-- still has is not added twice. Answers with their number.
CREATE OR REPLACE FUNCTION mail_post_again(p_older_than interval, p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_count int;
BEGIN
  INSERT INTO outbox (id, job, payload)
  SELECT id, 'send-mail', jsonb_build_object('mailId', id) FROM mail
  WHERE ended_at IS NULL AND created_at < clock_timestamp() - p_older_than
  ORDER BY id LIMIT p_limit
  ON CONFLICT (id) DO NOTHING;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

-- Deletes mails thirty days after their end, at most p_limit. Answers with their number.
CREATE OR REPLACE FUNCTION mail_forget(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_count int;
BEGIN
  DELETE FROM mail WHERE id IN (
    SELECT id FROM mail WHERE ended_at <= clock_timestamp() - interval '30 days'
    ORDER BY ended_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

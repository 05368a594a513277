-- Mails to send and their outcome, one row each.

-- Asks for a sign-in link. The owner of the address, if any, is looked up when the mail is sent, so that the
-- response reveals nothing about who is a customer. It is the only mail, and the only job, that the account
-- service can request. The language is that of the browser, for an account that has none; the browser alone may use
-- the code of the mail.
CREATE OR REPLACE FUNCTION mail_ask_link(p_id uuid, p_address text, p_language text, p_browser_sha256 bytea)
RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail (id, kind, address, language, browser_sha256)
  VALUES (p_id, 'sign_in', p_address, p_language, p_browser_sha256);
  INSERT INTO outbox (id, job, payload) VALUES (p_id, 'send-mail', jsonb_build_object('mailId', p_id));
END $$;

-- The same for an account service of the version before, which is replaced after the migration.
CREATE OR REPLACE FUNCTION mail_ask_sign_in(p_id uuid, p_address text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT mail_ask_link(p_id, p_address, NULL, NULL)
$$;

-- Cancels the mails that would bring an account further links. Does not wait for one that is being sent: it
-- records its own outcome and is not retried. Returns the number cancelled.
CREATE OR REPLACE FUNCTION mail_end_links(p_account_id uuid) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_count int;
BEGIN
  UPDATE mail SET ended_at = clock_timestamp(), outcome = 'not_wanted', address = NULL, account_id = p_account_id
  WHERE id IN (
    SELECT id FROM mail
    WHERE ended_at IS NULL AND kind IN ('sign_in', 'invite') AND NOT for_operator
      AND (account_id = p_account_id OR address = (SELECT email FROM account WHERE id = p_account_id))
    ORDER BY id FOR NO KEY UPDATE
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

-- Posts mails again that were posted a while ago and have not ended, since the queue may have lost their
-- jobs. A job still in the queue is not added twice. Returns the number posted.
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

-- Deletes mails thirty days after their end, at most p_limit. Returns the number deleted.
CREATE OR REPLACE FUNCTION mail_purge(p_limit int) RETURNS int LANGUAGE plpgsql
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

-- Posts a mail for each active account whose available balance is below its threshold, once until it
-- recovers: marks the account and posts the mail in one transaction. At most p_limit; returns the number
-- posted.
--
--  The mark is removed when the available balance is at or above the threshold and the balance has grown
--  since the mail. Without the second condition, an account near its threshold would be mailed again with
--  every hold that is placed and released.
CREATE OR REPLACE FUNCTION mail_find_low_balances(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_count int;
BEGIN
  WITH risen AS MATERIALIZED (
    SELECT a.id FROM account a JOIN account_funds f ON f.account_id = a.id
    WHERE a.low_balance_nano IS NOT NULL AND a.low_balance_mailed_at IS NOT NULL
      AND f.balance_nano - f.held_nano >= a.low_balance_nano AND f.balance_nano > a.low_balance_mailed_nano
    ORDER BY a.id FOR NO KEY UPDATE OF a SKIP LOCKED
  )
  UPDATE account a SET low_balance_mailed_at = NULL, low_balance_mailed_nano = NULL
  FROM risen WHERE a.id = risen.id;

  WITH low AS MATERIALIZED (
    SELECT a.id, f.balance_nano FROM account a JOIN account_funds f ON f.account_id = a.id
    WHERE a.low_balance_nano IS NOT NULL AND a.low_balance_mailed_at IS NULL AND a.invite_status = 'active'
      AND f.balance_nano - f.held_nano < a.low_balance_nano
    ORDER BY a.id LIMIT p_limit FOR NO KEY UPDATE OF a SKIP LOCKED
  ), marked AS (
    UPDATE account a SET low_balance_mailed_at = clock_timestamp(), low_balance_mailed_nano = low.balance_nano
    FROM low WHERE a.id = low.id
    RETURNING a.id, ledger_new_id() AS mail_id
  ), posted AS (
    INSERT INTO mail (id, kind, account_id) SELECT mail_id, 'low_balance', id FROM marked RETURNING id
  )
  INSERT INTO outbox (id, job, payload)
  SELECT id, 'send-mail', jsonb_build_object('mailId', id) FROM posted;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

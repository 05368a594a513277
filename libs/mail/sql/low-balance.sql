-- Posts a mail for each active account whose available balance is below the threshold that was set for it, once until it
-- is above again: marks the account and posts the mail in one transaction. At most p_limit; answers with their number.
--
-- A mark goes when the available balance is not below the threshold and the balance has grown since the mail. Without
-- the second, an account near its threshold would be mailed again with every hold that is placed and released.
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

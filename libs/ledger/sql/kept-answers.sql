-- Answers that are kept for repeated requests with an Idempotency-Key.
--
-- A short answer is stored with its charge. A long one would delay all charges of the same call, so it is written
-- before the charge, in parts, under the id of the hold, and the charge only refers to it. The gateway encrypts it.

-- Writes a part of a long answer, the first one first. Returns whether the account has room for it: if not, no part
-- of the answer is kept. Parts without a charge are deleted after an hour.
CREATE OR REPLACE FUNCTION ledger_stage_answer(
  p_hold_id uuid,
  p_account_id uuid,
  p_part int,
  p_ciphertext bytea,
  p_room bigint
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_bytes bigint := length(p_ciphertext);
  v_kept bigint;
BEGIN
  IF v_bytes > 131072 OR p_part NOT BETWEEN 0 AND 1023 THEN
    RAISE EXCEPTION 'a part of an answer is too large' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Without a lock: if the hold is resolved meanwhile, nobody reads the part.
  PERFORM FROM hold WHERE id = p_hold_id AND account_id = p_account_id AND idempotency_key IS NOT NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  -- The charge decides under the account's lock. This check avoids writing parts that it would refuse.
  SELECT coalesce(sum(bytes), 0) INTO v_kept FROM kept_answer_hour
  WHERE account_id = p_account_id AND hour > clock_timestamp() - interval '25 hours';
  IF v_kept + v_bytes > p_room THEN RETURN false; END IF;
  -- The charge waits until it is on disk, with everything that was written before.
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO kept_answer AS k (hold_id, account_id, parts, bytes, expires_at)
  VALUES (p_hold_id, p_account_id, 1, v_bytes, clock_timestamp() + interval '1 hour')
  ON CONFLICT (hold_id) DO UPDATE SET parts = k.parts + 1, bytes = k.bytes + v_bytes;
  INSERT INTO kept_answer_part (hold_id, part, ciphertext) VALUES (p_hold_id, p_part, p_ciphertext);
  RETURN true;
END $$;

-- Decides whether the answer of a charge is kept: only if its account has room for it. An empty one stands for one
-- that was written before. The caller holds the account's lock, and charges a hold that has an Idempotency-Key in
-- this transaction. Each of several answers counts for the later ones.
--
-- An account's room is `farebox.kept_bytes_per_account` (bytes; 256 MiB if the session does not set it) minus the
-- answers kept in the last 24 hours, to the full hour. It is freed by time alone, so that deleting answers needs no
-- lock on an account.
CREATE OR REPLACE FUNCTION ledger_keep_answer(p_hold_id uuid, p_account_id uuid, p_answer bytea, p_now timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_room bigint := coalesce(nullif(current_setting('farebox.kept_bytes_per_account', true), ''), '268435456')::bigint;
  v_is_staged boolean := p_answer = '';
  v_bytes bigint := length(p_answer);
  v_kept bigint;
  v_fits boolean;
BEGIN
  IF v_is_staged THEN
    SELECT bytes INTO v_bytes FROM kept_answer
    WHERE hold_id = p_hold_id AND account_id = p_account_id AND expires_at > p_now;
  END IF;
  SELECT coalesce(sum(bytes), 0) INTO v_kept FROM kept_answer_hour
  WHERE account_id = p_account_id AND hour > p_now - interval '25 hours';
  -- NULL if nothing was written before, or if it has expired.
  v_fits := coalesce(v_kept + v_bytes <= v_room, false);
  IF v_is_staged THEN
    UPDATE kept_answer SET expires_at = CASE WHEN v_fits THEN p_now + interval '24 hours' ELSE p_now END
    WHERE hold_id = p_hold_id;
  END IF;
  IF v_fits THEN
    INSERT INTO kept_answer_hour AS h (account_id, hour, bytes)
    VALUES (p_account_id, date_trunc('hour', p_now, 'UTC'), v_bytes)
    ON CONFLICT (account_id, hour) DO UPDATE SET bytes = h.bytes + excluded.bytes;
  END IF;
  RETURN v_fits;
END $$;

-- The kept answer of a charged request: empty if it is kept in parts, NULL if it is not kept. The caller names the
-- whole claim. This is a gateway's only way to read the tables, so that a stolen login cannot browse them or list
-- Idempotency-Keys.
CREATE OR REPLACE FUNCTION ledger_kept_answer(
  p_account_id uuid,
  p_api_key_id uuid,
  p_key text,
  p_hold_id uuid
) RETURNS bytea LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT answer FROM idempotency_claim
  WHERE api_key_id = p_api_key_id AND key = p_key AND account_id = p_account_id AND hold_id = p_hold_id
    AND state = 'answered'
$$;

-- One part of such an answer, from 0; NULL after the last one.
CREATE OR REPLACE FUNCTION ledger_kept_answer_part(
  p_account_id uuid,
  p_api_key_id uuid,
  p_key text,
  p_hold_id uuid,
  p_part int
) RETURNS bytea LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT ciphertext FROM kept_answer_part
  WHERE hold_id = p_hold_id AND part = p_part
    AND ledger_kept_answer(p_account_id, p_api_key_id, p_key, p_hold_id) = ''
$$;

-- Deletes the parts of answers that have expired or were never charged. Returns the number of answers.
CREATE OR REPLACE FUNCTION ledger_purge_kept_parts(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_hold_id uuid[];
BEGIN
  WITH purged AS (
    DELETE FROM kept_answer
    WHERE hold_id IN (
      SELECT hold_id FROM kept_answer WHERE expires_at <= clock_timestamp()
      ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED
    )
    RETURNING hold_id
  )
  SELECT coalesce(array_agg(hold_id), '{}') INTO v_hold_id FROM purged;
  DELETE FROM kept_answer_part WHERE hold_id = ANY (v_hold_id);
  -- Hours that no charge writes or reads any more.
  DELETE FROM kept_answer_hour
  WHERE (account_id, hour) IN (
    SELECT account_id, hour FROM kept_answer_hour WHERE hour < clock_timestamp() - interval '26 hours'
    ORDER BY hour LIMIT 1000 FOR UPDATE SKIP LOCKED
  );
  RETURN cardinality(v_hold_id);
END $$;

-- Deletes expired answers, and with them the claims for which they were kept.
CREATE OR REPLACE FUNCTION ledger_purge_answers(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_purged int;
BEGIN
  DELETE FROM idempotency_claim
  WHERE (api_key_id, key) IN (
    SELECT api_key_id, key FROM idempotency_claim WHERE expires_at <= clock_timestamp()
    ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_purged = ROW_COUNT;
  RETURN v_purged;
END $$;

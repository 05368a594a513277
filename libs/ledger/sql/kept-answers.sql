-- What is kept to be given again to a request with an Idempotency-Key.
--
-- A short answer goes with its charge. A long one would hold up everybody whose charge goes with it: it is written before
-- the charge, in parts, under the id of the hold, and the charge only says so. It is encrypted, by the gateway.

-- Writes a part of a long answer, the first one first. Answers whether the account has room for it: beyond that, nothing
-- of the answer is to be kept. What no charge follows is deleted after an hour.
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
  -- Without a lock: if the hold is resolved meanwhile, nobody reads what is written here.
  PERFORM FROM hold WHERE id = p_hold_id AND account_id = p_account_id AND idempotency_key IS NOT NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  -- The charge decides under the account's lock. This look saves writing what it would refuse.
  SELECT coalesce(sum(bytes), 0) INTO v_kept FROM kept_answer_hour
  WHERE account_id = p_account_id AND hour > clock_timestamp() - interval '25 hours';
  IF v_kept + v_bytes > p_room THEN RETURN false; END IF;
  -- The charge waits until it is on disk, and with it everything that was written before.
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO kept_answer AS k (hold_id, account_id, parts, bytes, expires_at)
  VALUES (p_hold_id, p_account_id, 1, v_bytes, clock_timestamp() + interval '1 hour')
  ON CONFLICT (hold_id) DO UPDATE SET parts = k.parts + 1, bytes = k.bytes + v_bytes;
  INSERT INTO kept_answer_part (hold_id, part, ciphertext) VALUES (p_hold_id, p_part, p_ciphertext);
  RETURN true;
END $$;

-- Decides which of the answers that come with charges are kept: those for which their accounts have room, in the order
-- of the charges. An empty one stands for one that was written before. Answers with the answers, without those that are
-- not kept. The caller holds the locks of the accounts, and charges all of them in this transaction.
--
-- An account's room is what is left of `farebox.kept_bytes_per_account` (bytes; 256 MiB if the session does not say)
-- after what was kept in the last 24 hours, to the full hour. It comes back as time goes by, so that nothing that
-- deletes answers has to lock an account.
CREATE OR REPLACE FUNCTION ledger_keep_answers(
  p_hold_id uuid[],
  p_account_id uuid[],
  p_answer bytea[],
  p_now timestamptz
) RETURNS bytea[] LANGUAGE plpgsql AS $$
DECLARE
  v_room bigint := coalesce(nullif(current_setting('farebox.kept_bytes_per_account', true), ''), '268435456')::bigint;
  v_position bigint[];
  v_answers bytea[];
  v_at int;
  v_bytes bigint;
  v_kept bigint;
BEGIN
  -- One answer, row by row, as ledger_is_few says why. Of several, each counts for those that come after it.
  IF cardinality(array_remove(p_answer, NULL)) = 1 AND ledger_is_few(cardinality(p_answer)) THEN
    FOR i IN 1 .. cardinality(p_answer) LOOP
      IF p_answer[i] IS NOT NULL THEN v_at := i; END IF;
    END LOOP;
    PERFORM FROM hold
    WHERE id = p_hold_id[v_at] AND account_id = p_account_id[v_at] AND idempotency_key IS NOT NULL;
    -- The charge of a hold that is not there keeps nothing.
    IF NOT FOUND THEN
      p_answer[v_at] := NULL;
      RETURN p_answer;
    END IF;
    v_bytes := length(p_answer[v_at]);
    IF v_bytes = 0 THEN
      SELECT bytes INTO v_bytes FROM kept_answer
      WHERE hold_id = p_hold_id[v_at] AND account_id = p_account_id[v_at] AND expires_at > p_now;
    END IF;
    SELECT coalesce(sum(bytes), 0) INTO v_kept FROM kept_answer_hour
    WHERE account_id = p_account_id[v_at] AND hour > p_now - interval '25 hours';
    IF p_answer[v_at] = '' THEN
      UPDATE kept_answer
      SET expires_at = CASE WHEN v_kept + v_bytes <= v_room THEN p_now + interval '24 hours' ELSE p_now END
      WHERE hold_id = p_hold_id[v_at];
    END IF;
    -- Nothing was written before, or its time is over: NULL.
    IF v_kept + v_bytes <= v_room THEN
      INSERT INTO kept_answer_hour AS h (account_id, hour, bytes)
      VALUES (p_account_id[v_at], date_trunc('hour', p_now, 'UTC'), v_bytes)
      ON CONFLICT (account_id, hour) DO UPDATE SET bytes = h.bytes + excluded.bytes;
    ELSE
      p_answer[v_at] := NULL;
    END IF;
    RETURN p_answer;
  END IF;

  WITH answer AS MATERIALIZED (
    SELECT i.hold_id, i.account_id, i.position, i.answer = '' AS is_staged,
           CASE WHEN i.answer = '' THEN k.bytes ELSE length(i.answer) END AS bytes
    FROM unnest(p_hold_id, p_account_id, p_answer) WITH ORDINALITY AS i(hold_id, account_id, answer, position)
    CROSS JOIN LATERAL (
      SELECT FROM hold
      WHERE id = i.hold_id AND account_id = i.account_id AND idempotency_key IS NOT NULL OFFSET 0
    ) h
    LEFT JOIN LATERAL (
      SELECT bytes FROM kept_answer
      WHERE hold_id = i.hold_id AND account_id = i.account_id AND expires_at > p_now OFFSET 0
    ) k ON true
    WHERE i.answer IS NOT NULL
  ), account AS MATERIALIZED (
    SELECT a.account_id, coalesce(h.bytes, 0) AS bytes
    FROM (SELECT DISTINCT account_id FROM answer) a
    CROSS JOIN LATERAL (
      SELECT sum(bytes) AS bytes FROM kept_answer_hour
      WHERE account_id = a.account_id AND hour > p_now - interval '25 hours'
    ) h
  ), kept AS MATERIALIZED (
    SELECT t.* FROM (
      SELECT a.*, c.bytes + sum(a.bytes) OVER (PARTITION BY a.account_id ORDER BY a.position) AS total
      FROM answer a JOIN account c ON c.account_id = a.account_id
      WHERE a.bytes IS NOT NULL
    ) t
    WHERE t.total <= v_room
  ), staged AS (
    UPDATE kept_answer
    SET expires_at = CASE WHEN hold_id = ANY (ARRAY(SELECT hold_id FROM kept)) THEN p_now + interval '24 hours' ELSE p_now END
    WHERE hold_id = ANY (ARRAY(SELECT hold_id FROM answer WHERE is_staged))
  ), counted AS (
    INSERT INTO kept_answer_hour AS h (account_id, hour, bytes)
    SELECT account_id, date_trunc('hour', p_now, 'UTC'), sum(bytes)::bigint FROM kept GROUP BY account_id
    ON CONFLICT (account_id, hour) DO UPDATE SET bytes = h.bytes + excluded.bytes
  )
  SELECT array_agg(position) INTO v_position FROM kept;
  IF cardinality(v_position) = cardinality(array_remove(p_answer, NULL)) THEN RETURN p_answer; END IF;
  SELECT array_agg(CASE WHEN position = ANY (v_position) THEN answer END ORDER BY position) INTO v_answers
  FROM unnest(p_answer) WITH ORDINALITY AS i(answer, position);
  RETURN v_answers;
END $$;

-- What a charged request is answered with again: empty if it is kept in parts, NULL if it is not kept. Whoever asks names the
-- claim whole. A gateway reads the tables by this alone, so that somebody who has taken its login over cannot look through
-- them: nobody lists Idempotency-Keys for them.
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

-- Deletes the parts of answers that have been kept for their time, and of those that no charge has followed. Answers
-- with the number of answers.
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

-- Deletes answers that have been kept for their time, and with them the claims that they were kept for.
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

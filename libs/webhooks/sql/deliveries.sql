-- Deliveries of events to endpoints, by the worker.

-- Takes deliveries that are due, for an attempt each: after `p_lease` without an end, another worker may take them. No
-- endpoint gets more than `p_each`, one whose last attempt failed gets one, and all of those together `p_failing`: a slow
-- endpoint does not hold up the others. `p_busy` are passed over.
CREATE OR REPLACE FUNCTION webhook_claim(p_busy uuid[], p_limit int, p_each int, p_failing int, p_lease interval)
RETURNS TABLE (
  endpoint_id uuid, url text, generation int, key_version int, former_key_version int, failures int,
  event_id uuid, account_id uuid, type text, data jsonb, created_at timestamptz, attempt int
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  -- One step of the index for each endpoint that is waited for, however many events wait.
  WITH RECURSIVE waiting(id) AS (
    (SELECT endpoint_id FROM webhook_delivery WHERE ended_at IS NULL ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.endpoint_id FROM webhook_delivery d
            WHERE d.ended_at IS NULL AND d.endpoint_id > w.id ORDER BY d.endpoint_id LIMIT 1)
    FROM waiting w WHERE w.id IS NOT NULL
  ), due AS MATERIALIZED (
    SELECT e.id AS endpoint_id, d.event_id, d.due_at, e.failures > 0 AS is_failing
    FROM waiting w
    JOIN webhook_endpoint e ON e.id = w.id AND e.off_reason IS NULL AND e.id <> ALL (p_busy)
    CROSS JOIN LATERAL (
      SELECT t.event_id, t.due_at FROM webhook_delivery t
      WHERE t.endpoint_id = e.id AND t.ended_at IS NULL AND t.due_at <= clock_timestamp()
      ORDER BY t.due_at LIMIT CASE WHEN e.failures > 0 THEN 1 ELSE p_each END
      FOR NO KEY UPDATE SKIP LOCKED
    ) d
  ), chosen AS MATERIALIZED (
    SELECT r.endpoint_id, r.event_id
    FROM (SELECT *, row_number() OVER (PARTITION BY is_failing ORDER BY due_at) AS place FROM due) r
    WHERE NOT r.is_failing OR r.place <= p_failing
    ORDER BY r.is_failing, r.due_at LIMIT p_limit
  ), claimed AS (
    UPDATE webhook_delivery d SET attempts = d.attempts + 1, due_at = clock_timestamp() + p_lease
    FROM chosen c WHERE d.endpoint_id = c.endpoint_id AND d.event_id = c.event_id
    RETURNING d.endpoint_id, d.event_id, d.attempts
  )
  SELECT e.id, e.url, e.generation, e.key_version,
         CASE WHEN e.rotated_at > clock_timestamp() - interval '1 day' THEN e.former_key_version END, e.failures,
         v.id, v.account_id, v.type, v.data, v.created_at, c.attempts
  FROM claimed c JOIN webhook_endpoint e ON e.id = c.endpoint_id JOIN webhook_event v ON v.id = c.event_id;
END $$;

-- Records an attempt. Without `p_pause` it was the last one. Returns whether it switched the endpoint off: because it is
-- gone, or because nothing was delivered to it during at least `p_most_failures` attempts. Its owner is mailed.
CREATE OR REPLACE FUNCTION webhook_end_attempt(
  p_endpoint_id uuid,
  p_event_id uuid,
  p_is_delivered boolean,
  p_status int,
  p_error text,
  p_pause interval,
  p_most_failures int
) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_ends boolean := p_is_delivered OR p_pause IS NULL;
  v_is_off boolean;
  v_account_id uuid;
  v_mail_id uuid;
BEGIN
  UPDATE webhook_delivery
  SET state = CASE WHEN p_is_delivered THEN 'delivered' WHEN v_ends THEN 'failed' ELSE 'pending' END::webhook_delivery_state,
      ended_at = CASE WHEN v_ends THEN clock_timestamp() END,
      due_at = coalesce(clock_timestamp() + p_pause, due_at), response_status = p_status, error = p_error
  WHERE endpoint_id = p_endpoint_id AND event_id = p_event_id AND ended_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  IF p_is_delivered THEN
    UPDATE webhook_endpoint SET failures = 0, last_success_at = clock_timestamp() WHERE id = p_endpoint_id;
    RETURN false;
  END IF;
  UPDATE webhook_endpoint SET failures = failures + 1 WHERE id = p_endpoint_id;
  UPDATE webhook_endpoint
  SET off_reason = CASE p_status WHEN 410 THEN 'gone' ELSE 'failures' END::webhook_off_reason
  WHERE id = p_endpoint_id AND off_reason IS NULL
    AND (p_status = 410 OR (p_pause IS NULL AND failures >= p_most_failures))
  RETURNING account_id INTO v_account_id;
  v_is_off := FOUND;
  -- For an endpoint of the operators there is an alert.
  IF v_account_id IS NOT NULL THEN
    v_mail_id := ledger_new_id();
    INSERT INTO mail (id, kind, account_id, webhook_endpoint_id)
    VALUES (v_mail_id, 'webhook_disabled', v_account_id, p_endpoint_id);
    INSERT INTO outbox (id, job, payload) VALUES (v_mail_id, 'send-mail', jsonb_build_object('mailId', v_mail_id));
  END IF;
  RETURN v_is_off;
END $$;

-- Makes a delivery that has ended due again, with all of its attempts and under the same id. Returns false if the account
-- has no such endpoint that is switched on, or the delivery has not ended.
CREATE OR REPLACE FUNCTION webhook_resend(p_endpoint_id uuid, p_event_id uuid, p_account_id uuid)
RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE webhook_delivery d
  SET state = 'pending', ended_at = NULL, attempts = 0, due_at = clock_timestamp(), response_status = NULL, error = NULL
  FROM webhook_endpoint e
  WHERE e.id = p_endpoint_id AND e.account_id IS NOT DISTINCT FROM p_account_id AND e.off_reason IS NULL
    AND d.endpoint_id = e.id AND d.event_id = p_event_id AND d.ended_at IS NOT NULL;
  RETURN FOUND;
END $$;

-- Deletes events that are thirty days old, with their deliveries: at most p_limit. What is written once for a month stays
-- until the month is over. Returns the number deleted.
CREATE OR REPLACE FUNCTION webhook_purge(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_count int;
BEGIN
  DELETE FROM webhook_event WHERE id IN (
    SELECT id FROM webhook_event
    WHERE created_at <= clock_timestamp() - interval '30 days'
      AND (once IS NULL OR created_at <= clock_timestamp() - interval '32 days')
    ORDER BY created_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

-- Events for webhooks, written in the transaction of their cause by triggers on tables that are rarely written: never on
-- holds, charges or usage. Ids and amounts become public ones when an event is sent. An event that no endpoint wants is
-- not written.

-- The endpoints that want a type of event of an account: the operators', and its own. Null: the operators' alone.
CREATE OR REPLACE FUNCTION webhook_wanting(p_account_id uuid, p_type text) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
  SELECT id FROM webhook_endpoint
  WHERE (account_id IS NULL OR account_id = p_account_id)
    AND off_reason IS NULL AND (event_types IS NULL OR p_type = ANY (event_types))
$$;

-- Writes an event and its deliveries. Takes no lock of an endpoint. `p_once`: a job that finds the same thing again
-- writes it once. `p_is_internal`: not for the customer's own endpoints.
CREATE OR REPLACE FUNCTION webhook_post(
  p_account_id uuid,
  p_type text,
  p_data jsonb,
  p_once text,
  p_is_internal boolean
) RETURNS void LANGUAGE sql AS $$
  WITH wanted AS MATERIALIZED (
    SELECT w.id FROM webhook_wanting(CASE WHEN NOT p_is_internal THEN p_account_id END, p_type) AS w(id)
  ), event AS (
    INSERT INTO webhook_event (id, account_id, type, data, once, created_at)
    SELECT ledger_new_id(), p_account_id, p_type, p_data, p_once, clock_timestamp() WHERE EXISTS (SELECT FROM wanted)
    ON CONFLICT (once) DO NOTHING
    RETURNING id, created_at
  )
  INSERT INTO webhook_delivery (endpoint_id, event_id, due_at)
  SELECT wanted.id, event.id, event.created_at FROM wanted CROSS JOIN event
$$;

CREATE OR REPLACE FUNCTION post_webhook_of_credential() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_key api_key;
BEGIN
  SELECT * INTO v_key FROM api_key WHERE id = NEW.credential_id;
  -- The key of the playground changes with each visit.
  IF NOT FOUND OR v_key.is_playground THEN RETURN NULL; END IF;
  PERFORM webhook_post(
    NEW.account_id,
    'api_key.' || CASE NEW.action WHEN 'create' THEN 'created' WHEN 'change' THEN 'changed' WHEN 'rotate' THEN 'rotated'
                                  ELSE 'revoked' END,
    jsonb_build_object('key_id', v_key.id, 'name', v_key.name, 'hint', v_key.hint), NULL, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER credential_event_webhook AFTER INSERT ON credential_event FOR EACH ROW
  WHEN (NEW.credential = 'api_key') EXECUTE FUNCTION post_webhook_of_credential();

CREATE OR REPLACE FUNCTION post_webhook_of_funding() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM webhook_post(NEW.account_id, 'funding.credited', jsonb_build_object(
    'funding_id', NEW.id, 'method', NEW.method, 'amount_nano', NEW.amount_nano::text), NULL, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER funding_webhook AFTER INSERT ON funding FOR EACH ROW EXECUTE FUNCTION post_webhook_of_funding();

CREATE OR REPLACE FUNCTION post_webhook_of_reversal() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM webhook_post(NEW.account_id, 'funding.reversed', jsonb_build_object(
    'reason', NEW.reason, 'amount_nano', NEW.amount_nano::text), NULL, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER reversal_webhook AFTER INSERT ON reversal FOR EACH ROW EXECUTE FUNCTION post_webhook_of_reversal();

CREATE OR REPLACE FUNCTION post_webhook_of_invoice() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM webhook_post(NEW.account_id, 'invoice.issued', jsonb_build_object(
    'number', NEW.number, 'month', to_char(NEW.month, 'YYYY-MM'), 'total_nano', NEW.total_nano::text), NULL, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER invoice_webhook AFTER INSERT ON invoice FOR EACH ROW EXECUTE FUNCTION post_webhook_of_invoice();

CREATE OR REPLACE FUNCTION post_webhook_of_credit_note() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM webhook_post(NEW.account_id, 'credit_note.issued', jsonb_build_object(
    'number', NEW.number, 'invoice_number', NEW.invoice_number, 'receipt_number', NEW.receipt_number,
    'amount_nano', NEW.amount_nano::text), NULL, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER credit_note_webhook AFTER INSERT ON credit_note FOR EACH ROW
  EXECUTE FUNCTION post_webhook_of_credit_note();

-- A customer is concerned by a review that reserves money of theirs. The others are questions to the operators alone.
CREATE OR REPLACE FUNCTION post_webhook_of_review() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM webhook_post(
    NEW.account_id, CASE NEW.state WHEN 'open' THEN 'review.opened' ELSE 'review.resolved' END,
    jsonb_build_object('review_id', NEW.id, 'key_id', NEW.api_key_id, 'model', NEW.model_id, 'state', NEW.state,
                       'amount_nano', coalesce(CASE WHEN TG_OP = 'UPDATE' THEN OLD.reserved_nano END, NEW.reserved_nano)::text),
    NULL, NEW.reason <> 'charge_failed');
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER billing_review_opened_webhook AFTER INSERT ON billing_review FOR EACH ROW
  WHEN (NEW.state = 'open') EXECUTE FUNCTION post_webhook_of_review();
CREATE OR REPLACE TRIGGER billing_review_resolved_webhook AFTER UPDATE OF state ON billing_review FOR EACH ROW
  WHEN (OLD.state = 'open' AND NEW.state <> 'open') EXECUTE FUNCTION post_webhook_of_review();

CREATE OR REPLACE FUNCTION post_webhook_of_low_balance() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_available_nano bigint;
BEGIN
  SELECT balance_nano - held_nano INTO v_available_nano FROM account_funds WHERE account_id = NEW.id;
  PERFORM webhook_post(NEW.id, 'balance.low', jsonb_build_object(
    'available_nano', v_available_nano::text, 'threshold_nano', NEW.low_balance_nano::text), NULL, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER account_low_balance_webhook AFTER UPDATE OF low_balance_mailed_at ON account FOR EACH ROW
  WHEN (OLD.low_balance_mailed_at IS NULL AND NEW.low_balance_mailed_at IS NOT NULL)
  EXECUTE FUNCTION post_webhook_of_low_balance();

CREATE OR REPLACE FUNCTION post_webhook_of_access() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM webhook_post(
    NEW.id, CASE NEW.invite_status WHEN 'suspended' THEN 'account.suspended' ELSE 'account.reinstated' END, '{}', NULL, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER account_access_webhook AFTER UPDATE OF invite_status ON account FOR EACH ROW
  WHEN (OLD.invite_status <> NEW.invite_status AND 'suspended' IN (OLD.invite_status, NEW.invite_status))
  EXECUTE FUNCTION post_webhook_of_access();

-- Writes an event for each API key that has spent 80 or 95 percent of its monthly limit, once for each limit and month.
-- Looks only at accounts for which an endpoint wants it.
CREATE OR REPLACE FUNCTION webhook_find_limits() RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_type text := 'spending_limit.reached';
  v_month date := date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
  PERFORM webhook_post(found.account_id, v_type, found.data, found.once, false)
  FROM (
    SELECT k.account_id,
           jsonb_build_object('key_id', k.id, 'name', k.name, 'percent', p.percent, 'month', to_char(v_month, 'YYYY-MM'),
                              'limit_nano', k.monthly_spend_limit_nano::text, 'spent_nano', m.spent_nano::text) AS data,
           format('limit/%s/%s/%s/%s', k.id, v_month, k.monthly_spend_limit_nano, p.percent) AS once
    FROM api_key k
    JOIN api_key_month m ON m.api_key_id = k.id AND m.month = v_month
    CROSS JOIN (VALUES (80), (95)) AS p(percent)
    WHERE k.revoked_at IS NULL AND k.monthly_spend_limit_nano IS NOT NULL
      AND m.spent_nano::numeric * 100 >= k.monthly_spend_limit_nano::numeric * p.percent
    -- And so the endpoints are asked about these keys alone.
    ORDER BY k.id, p.percent OFFSET 0
  ) found
  WHERE EXISTS (SELECT FROM webhook_wanting(found.account_id, v_type))
    AND NOT EXISTS (SELECT FROM webhook_event v WHERE v.once = found.once);
END $$;

-- Writes an event for each daily cap, and for each limit policy of five hours or more, that has 80 or 95 percent of it used
-- or held, once for each limit and window. Looks only at accounts that began a request in the last hour, and for which an
-- endpoint wants it.
CREATE OR REPLACE FUNCTION webhook_find_usage_limits() RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_type text := 'usage_limit.reached';
  v_now timestamptz := clock_timestamp();
  v_day date := (v_now AT TIME ZONE 'UTC')::date;
BEGIN
  PERFORM webhook_post(found.account_id, v_type, found.data, found.once, false)
  FROM (
    SELECT a.id AS account_id,
           jsonb_build_object('measure', l.measure, 'per', l.per, 'key_id', l.api_key_id, 'model', l.model_id,
                              'percent', p.percent, 'most', l.most::text, 'used', l.used::text,
                              'ends_at', extract(epoch FROM l.ends_at)::bigint) AS data,
           format('usage/%s/%s/%s/%s/%s/%s', a.id, l.name, l.measure, l.ends_at, l.most, p.percent) AS once
    FROM (
      SELECT DISTINCT k.account_id FROM api_key_month m JOIN api_key k ON k.id = m.api_key_id
      WHERE m.month = date_trunc('month', v_day)::date AND m.last_used_at > v_now - interval '1 hour'
      -- And so the endpoints are asked once for each account.
      OFFSET 0
    ) active
    JOIN account a ON a.id = active.account_id
    JOIN cohort c ON c.name = a.cohort_name
    LEFT JOIN account_day d ON d.account_id = a.id AND d.day = v_day
    CROSS JOIN LATERAL (
      SELECT l.id::text AS name, l.measure::text, l.per::text, l.api_key_id, l.model_id, l.most, l.used, l.ends_at
      FROM ledger_limits_of_account(a.id) l WHERE l.per <> 'minute'
      UNION ALL
      SELECT 'cap', cap.measure, 'day', NULL, NULL, cap.most, cap.used, ledger_window_end('day', ledger_window_start('day', v_now))
      FROM (VALUES ('requests', coalesce(a.daily_request_cap, c.daily_request_cap)::bigint, d.requests::bigint),
                   ('spend', coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano), d.spent_nano + d.held_nano))
           AS cap(measure, most, used)
    ) l
    CROSS JOIN (VALUES (80), (95)) AS p(percent)
    WHERE EXISTS (SELECT FROM webhook_wanting(active.account_id, v_type))
      AND l.most > 0 AND l.used::numeric * 100 >= l.most::numeric * p.percent
    ORDER BY a.id, l.name, l.measure, p.percent
  ) found
  WHERE NOT EXISTS (SELECT FROM webhook_event v WHERE v.once = found.once);
END $$;

-- Writes an event for one endpoint alone, to test it. Returns its id, or null if the account has no such endpoint that is
-- switched on.
CREATE OR REPLACE FUNCTION webhook_test(p_endpoint_id uuid, p_account_id uuid) RETURNS uuid LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_id uuid := ledger_new_id();
BEGIN
  PERFORM FROM webhook_endpoint
  WHERE id = p_endpoint_id AND account_id IS NOT DISTINCT FROM p_account_id AND off_reason IS NULL;
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO webhook_event (id, account_id, type, data)
  VALUES (v_id, p_account_id, 'webhook.test', jsonb_build_object('webhook_id', p_endpoint_id));
  INSERT INTO webhook_delivery (endpoint_id, event_id, due_at) VALUES (p_endpoint_id, v_id, clock_timestamp());
  RETURN v_id;
END $$;

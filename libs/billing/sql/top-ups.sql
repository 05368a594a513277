-- Automatic top-ups: payments by the saved card without the customer, when the available balance is below their
-- threshold. The row of auto_top_up is locked wherever an attempt begins or ends, so that two workers neither begin
-- two at once nor exceed the month's ceiling.

-- Switches automatic top-up on, with what the customer agreed to. Returns false without a saved card.
CREATE OR REPLACE FUNCTION top_up_switch_on(
  p_account_id uuid, p_threshold_nano bigint, p_amount_nano bigint, p_monthly_ceiling_nano bigint, p_consent_text text
) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- A removal of the card waits, and then ends what begins here.
  PERFORM FROM saved_card WHERE account_id = p_account_id FOR KEY SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO auto_top_up (account_id, is_on, threshold_nano, amount_nano, monthly_ceiling_nano, consent_text,
                           consented_at, next_attempt_at)
  VALUES (p_account_id, true, p_threshold_nano, p_amount_nano, p_monthly_ceiling_nano, p_consent_text,
          clock_timestamp(), clock_timestamp())
  ON CONFLICT (account_id) DO UPDATE
  SET is_on = true, threshold_nano = excluded.threshold_nano, amount_nano = excluded.amount_nano,
      monthly_ceiling_nano = excluded.monthly_ceiling_nano, consent_text = excluded.consent_text,
      consented_at = excluded.consented_at, next_attempt_at = excluded.next_attempt_at, off_reason = NULL, off_at = NULL;
  RETURN true;
END $$;

-- Switches automatic top-up off at the customer's request. Returns whether it was on.
CREATE OR REPLACE FUNCTION top_up_end(p_account_id uuid) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE auto_top_up SET is_on = false, off_reason = 'customer', off_at = clock_timestamp()
  WHERE account_id = p_account_id AND is_on;
  RETURN FOUND;
END $$;

-- Switches automatic top-up off, and mails the owner why.
CREATE OR REPLACE FUNCTION top_up_switch_off(p_account_id uuid, p_reason top_up_off_reason) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_mail_id uuid := ledger_new_id();
BEGIN
  UPDATE auto_top_up SET is_on = false, off_reason = p_reason, off_at = clock_timestamp()
  WHERE account_id = p_account_id AND is_on;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM payment_note_change(p_account_id);
  INSERT INTO mail (id, kind, account_id) VALUES (v_mail_id, 'top_up_off', p_account_id);
  INSERT INTO outbox (id, job, payload) VALUES (v_mail_id, 'send-mail', jsonb_build_object('mailId', v_mail_id));
END $$;

-- Charged in this UTC month, or about to be.
CREATE OR REPLACE FUNCTION top_up_month_nano(p_account_id uuid) RETURNS bigint LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(sum(amount_nano), 0)::bigint FROM top_up_attempt
  WHERE account_id = p_account_id AND month = date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')::date
    AND state <> 'failed'
$$;

-- Begins an attempt for each active account below its threshold, at most p_limit. Returns their number. Stripe is
-- asked later: top_up_claim.
CREATE OR REPLACE FUNCTION top_up_begin(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_account_id uuid;
  v_order auto_top_up;
  v_card saved_card;
  v_id uuid;
  v_count int := 0;
BEGIN
  FOR v_account_id IN
    SELECT t.account_id FROM auto_top_up t JOIN account_funds f USING (account_id) JOIN account a ON a.id = t.account_id
    WHERE t.is_on AND t.next_attempt_at <= clock_timestamp() AND f.balance_nano - f.held_nano < t.threshold_nano
      AND a.invite_status = 'active'
      AND NOT EXISTS (SELECT FROM top_up_attempt o WHERE o.account_id = t.account_id AND o.ended_at IS NULL)
      AND top_up_month_nano(t.account_id) + t.amount_nano <= t.monthly_ceiling_nano
    ORDER BY t.next_attempt_at LIMIT p_limit
  LOOP
    SELECT * INTO v_order FROM auto_top_up WHERE account_id = v_account_id AND is_on FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    -- Seen again under the lock, since another worker may have begun and ended an attempt meanwhile.
    PERFORM FROM account_funds
    WHERE account_id = v_account_id AND balance_nano - held_nano < v_order.threshold_nano
      AND v_order.next_attempt_at <= clock_timestamp()
      AND NOT EXISTS (SELECT FROM top_up_attempt o WHERE o.account_id = v_account_id AND o.ended_at IS NULL)
      AND top_up_month_nano(v_account_id) + v_order.amount_nano <= v_order.monthly_ceiling_nano;
    CONTINUE WHEN NOT FOUND;
    SELECT * INTO v_card FROM saved_card WHERE account_id = v_account_id;
    CONTINUE WHEN NOT FOUND;
    v_id := ledger_new_id();
    INSERT INTO checkout (id, account_id, amount_nano) VALUES (v_id, v_account_id, v_order.amount_nano);
    INSERT INTO top_up_attempt (id, account_id, month, amount_nano, stripe_customer_id, stripe_payment_method_id,
                                created_at, due_at)
    VALUES (v_id, v_account_id, date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')::date, v_order.amount_nano,
            v_card.stripe_customer_id, v_card.stripe_payment_method_id, clock_timestamp(), clock_timestamp());
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END $$;

-- Takes open attempts that are due, for p_lease_ms. A new one becomes `requested` before Stripe is asked for the payment,
-- or fails if the order was withdrawn meanwhile. Any other becomes `unknown`: its request may have reached Stripe.
CREATE OR REPLACE FUNCTION top_up_claim(p_limit int, p_lease_ms int) RETURNS SETOF top_up_attempt LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_attempt top_up_attempt;
BEGIN
  FOR v_attempt IN
    SELECT * FROM top_up_attempt WHERE ended_at IS NULL AND due_at <= v_now
    ORDER BY due_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  LOOP
    IF v_attempt.state = 'created' AND NOT EXISTS (
      SELECT FROM auto_top_up t JOIN saved_card c USING (account_id)
      WHERE account_id = v_attempt.account_id AND is_on
        AND c.stripe_payment_method_id = v_attempt.stripe_payment_method_id
    ) THEN
      UPDATE checkout SET status = 'ended' WHERE id = v_attempt.id;
      UPDATE top_up_attempt SET state = 'failed', failure = 'withdrawn', ended_at = v_now WHERE id = v_attempt.id;
      CONTINUE;
    END IF;
    UPDATE top_up_attempt
    SET state = CASE v_attempt.state WHEN 'created' THEN 'requested' ELSE 'unknown' END::top_up_attempt_state,
        requested_at = coalesce(requested_at, v_now), due_at = v_now + p_lease_ms * interval '1 ms'
    WHERE id = v_attempt.id RETURNING * INTO v_attempt;
    RETURN NEXT v_attempt;
  END LOOP;
END $$;

-- Whether the payment of an open attempt, which Stripe does not have, is still wanted: the order, the card and the low
-- balance are as they were when the attempt began.
CREATE OR REPLACE FUNCTION top_up_is_wanted(p_id uuid) RETURNS boolean LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM top_up_attempt o
    JOIN auto_top_up t USING (account_id) JOIN saved_card c USING (account_id) JOIN account_funds f USING (account_id)
    JOIN account a ON a.id = o.account_id
    WHERE o.id = p_id AND o.ended_at IS NULL AND t.is_on AND a.invite_status = 'active'
      AND c.stripe_payment_method_id = o.stripe_payment_method_id AND f.balance_nano - f.held_nano < t.threshold_nano)
$$;

-- Notes the payment that Stripe made for an attempt, if known, and when to ask for it again. Moves no money.
CREATE OR REPLACE FUNCTION top_up_wait(p_id uuid, p_payment_intent_id text, p_pause_ms int) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE top_up_attempt SET stripe_payment_intent_id = coalesce(stripe_payment_intent_id, p_payment_intent_id),
                            due_at = clock_timestamp() + p_pause_ms * interval '1 ms'
  WHERE id = p_id AND ended_at IS NULL
$$;

-- Ends an open attempt as failed, once, and pauses the next one. The third decline in a row switches automatic top-up
-- off. Returns whether this call ended it.
CREATE OR REPLACE FUNCTION top_up_fail(
  p_id uuid, p_payment_intent_id text, p_failure text, p_is_declined boolean, p_pause_ms bigint
) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_account_id uuid;
BEGIN
  -- The order of locks of payment_settle_checkout: its success may be reported at the same time.
  PERFORM FROM checkout WHERE id = p_id FOR UPDATE;
  SELECT t.account_id INTO v_account_id
  FROM auto_top_up t JOIN top_up_attempt a USING (account_id) WHERE a.id = p_id FOR UPDATE OF t;
  UPDATE top_up_attempt SET state = 'failed', failure = p_failure, is_declined = p_is_declined,
                            stripe_payment_intent_id = coalesce(stripe_payment_intent_id, p_payment_intent_id),
                            ended_at = clock_timestamp()
  WHERE id = p_id AND ended_at IS NULL
    AND (stripe_payment_intent_id IS NULL OR p_payment_intent_id IS NULL OR stripe_payment_intent_id = p_payment_intent_id);
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE checkout SET status = 'ended' WHERE id = p_id;
  UPDATE auto_top_up SET next_attempt_at = clock_timestamp() + p_pause_ms * interval '1 ms' WHERE account_id = v_account_id;
  IF top_up_declines_in_a_row(v_account_id) >= 3 THEN PERFORM top_up_switch_off(v_account_id, 'failures'); END IF;
  RETURN true;
END $$;

-- Counted from the attempts, so that events in another order give the same result. A new consent begins at zero.
CREATE OR REPLACE FUNCTION top_up_declines_in_a_row(p_account_id uuid) RETURNS int LANGUAGE sql STABLE AS $$
  SELECT count(*)::int FROM top_up_attempt a JOIN auto_top_up t USING (account_id)
  WHERE account_id = p_account_id AND a.state = 'failed' AND a.is_declined AND a.created_at >= t.consented_at
    AND NOT EXISTS (SELECT FROM top_up_attempt s
                    WHERE s.account_id = p_account_id AND s.state = 'succeeded' AND s.id > a.id)
$$;

-- Ends the attempt of a checkout that was paid. Success wins over a failure that was reported before.
CREATE OR REPLACE FUNCTION top_up_succeed(p_id uuid, p_payment_intent_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM auto_top_up t JOIN top_up_attempt a USING (account_id) WHERE a.id = p_id FOR UPDATE OF t;
  UPDATE top_up_attempt SET state = 'succeeded', failure = NULL, is_declined = false,
                            stripe_payment_intent_id = p_payment_intent_id, ended_at = clock_timestamp()
  WHERE id = p_id;
END $$;

-- Attempts are kept, and their amounts never change.
CREATE OR REPLACE TRIGGER top_up_attempt_kept BEFORE DELETE ON top_up_attempt
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER top_up_attempt_amount_fixed BEFORE UPDATE OF account_id, amount_nano, month, created_at
  ON top_up_attempt FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Records that Stripe delivered an event: only its id, which moves no money. The worker fetches the event
-- from Stripe. Outcomes: `noted`, `repeated` (already noted or applied) and `full`, since a stolen login
-- could note any number of invented ids.
CREATE OR REPLACE FUNCTION payment_note_event(p_event_id text) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  c_most CONSTANT int := 10000;
BEGIN
  IF EXISTS (SELECT FROM stripe_event WHERE id = p_event_id) THEN RETURN 'repeated'; END IF;
  IF (SELECT count(*) FROM (SELECT FROM payment_notice LIMIT c_most) n) >= c_most THEN RETURN 'full'; END IF;
  INSERT INTO payment_notice (event_id) VALUES (p_event_id) ON CONFLICT (event_id) DO NOTHING;
  RETURN CASE WHEN FOUND THEN 'noted' ELSE 'repeated' END;
END $$;

-- Applies an event of a card payment, each one once, in one transaction with the money that it moves.
--
--  Actions: `pay` (the money of a checkout has arrived), `await` (it was ordered and arrives later), `end`
--  (it will not arrive), `refund` (p_amount_nano: everything refunded so far of the charge p_object_id),
--  `refund_made` (the refund p_object_id was made), `refund_failed` (it failed or was canceled: Stripe has
--  its money back), `dispute` (the money of the dispute p_object_id was withdrawn), `reinstate` (and
--  returned), `lose` (and is lost). Outcomes: `applied`, `no_change`, `repeated` (the event was applied before), `mismatched` (the
--  amount, currency or session differs from the checkout's: nothing moved), `unknown_checkout`, and
--  `unmatched`: a refund or dispute of an unknown payment. Deliveries arrive in any order, so such an event
--  is kept and applied when the payment arrives.
CREATE OR REPLACE FUNCTION payment_apply_event(
  p_event_id text,
  p_type text,
  p_action text,
  p_checkout_id uuid,
  p_session_id text,
  p_payment_intent_id text,
  p_object_id text,
  p_amount_nano bigint,
  p_currency text
) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_event stripe_event;
BEGIN
  -- A concurrent delivery waits here for the commit of the first.
  INSERT INTO stripe_event (id, type, action, checkout_id, session_id, payment_intent_id, object_id, amount_nano, currency,
                            received_at)
  VALUES (p_event_id, p_type, p_action, p_checkout_id, p_session_id, p_payment_intent_id, p_object_id, p_amount_nano,
          p_currency, clock_timestamp())
  ON CONFLICT (id) DO NOTHING
  RETURNING * INTO v_event;
  IF NOT FOUND THEN RETURN 'repeated'; END IF;

  -- Serialises the events of a payment: otherwise a refund and its payment could miss each other.
  PERFORM pg_advisory_xact_lock(hashtextextended('stripe:' || coalesce(p_payment_intent_id, p_session_id), 0));
  IF p_action IN ('refund', 'refund_made', 'refund_failed', 'dispute', 'reinstate', 'lose') THEN
    v_event.outcome := payment_take_back(v_event);
  ELSE
    v_event.outcome := payment_settle_checkout(v_event);
  END IF;
  UPDATE stripe_event SET outcome = v_event.outcome WHERE id = p_event_id;
  RETURN v_event.outcome;
END $$;

-- Moves a checkout to the state that an event reports; a paid one is credited once.
CREATE OR REPLACE FUNCTION payment_settle_checkout(p_event stripe_event) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_checkout checkout;
  v_attempt top_up_attempt;
  v_early stripe_event;
BEGIN
  SELECT * INTO v_checkout FROM checkout WHERE id = p_event.checkout_id FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown_checkout'; END IF;
  IF v_checkout.status = 'paid' THEN RETURN 'no_change'; END IF;
  IF v_checkout.stripe_session_id <> p_event.session_id THEN RETURN 'mismatched'; END IF;
  -- An automatic top-up has no session, and is paid by the payment that was made for it alone.
  SELECT * INTO v_attempt FROM top_up_attempt WHERE id = v_checkout.id;
  IF FOUND <> (p_event.session_id IS NULL) OR v_attempt.stripe_payment_intent_id <> p_event.payment_intent_id THEN
    RETURN 'mismatched';
  END IF;
  IF p_event.action <> 'pay' THEN
    UPDATE checkout SET status = CASE p_event.action WHEN 'await' THEN 'awaiting' ELSE 'ended' END::checkout_status
    WHERE id = v_checkout.id;
    RETURN 'applied';
  END IF;
  IF (p_event.amount_nano, p_event.currency) IS DISTINCT FROM (v_checkout.amount_nano, 'usd') THEN
    RETURN 'mismatched';
  END IF;

  UPDATE checkout SET status = 'paid', stripe_session_id = p_event.session_id,
                      stripe_payment_intent_id = p_event.payment_intent_id, paid_at = clock_timestamp()
  WHERE id = v_checkout.id;
  PERFORM ledger_top_up(ledger_new_id(), v_checkout.account_id, v_checkout.amount_nano, 'card',
                        'stripe:' || coalesce(p_event.session_id, p_event.payment_intent_id));
  IF v_attempt.id IS NOT NULL THEN PERFORM top_up_succeed(v_attempt.id, p_event.payment_intent_id); END IF;
  FOR v_early IN
    SELECT * FROM stripe_event
    WHERE payment_intent_id = p_event.payment_intent_id AND outcome = 'unmatched' ORDER BY received_at, id
  LOOP
    UPDATE stripe_event SET outcome = payment_take_back(v_early) WHERE id = v_early.id;
  END LOOP;
  RETURN 'applied';
END $$;

-- The refunded amount of a payment, derived from all its events so far, in any order and number: each refund
-- once, minus the failed ones. The charge's own total is used if it is larger, since it includes refunds
-- whose own events have not arrived. It is never summed up, because Stripe deducts a failed refund from it
-- again.
CREATE OR REPLACE FUNCTION payment_refunded_nano(p_checkout checkout) RETURNS bigint LANGUAGE sql AS $$
  WITH told AS (
    SELECT action, object_id, amount_nano FROM stripe_event
    WHERE payment_intent_id = p_checkout.stripe_payment_intent_id
      AND action IN ('refund', 'refund_made', 'refund_failed')
      AND currency = 'usd' AND amount_nano <= p_checkout.amount_nano
  ), refunds AS (
    SELECT max(amount_nano) AS amount_nano, bool_or(action = 'refund_failed') AS has_failed
    FROM told WHERE action <> 'refund' GROUP BY object_id
  ), sums AS (
    SELECT greatest((SELECT max(amount_nano) FROM told WHERE action = 'refund'), sum(amount_nano), 0) AS made_nano,
           coalesce(sum(amount_nano) FILTER (WHERE has_failed), 0) AS failed_nano
    FROM refunds
  )
  -- A repeated refund may be reported before the failure of the first: never take more than was paid.
  SELECT least(made_nano - failed_nano, p_checkout.amount_nano)::bigint FROM sums
$$;

-- Takes back the refunded or disputed amount of a payment, or returns a dispute or a failed refund.
CREATE OR REPLACE FUNCTION payment_take_back(p_event stripe_event) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_checkout checkout;
  v_funding funding;
  v_reference text := 'stripe:' || p_event.object_id;
  v_refunded_nano bigint;
  v_changed boolean;
BEGIN
  SELECT * INTO v_checkout FROM checkout WHERE stripe_payment_intent_id = p_event.payment_intent_id FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unmatched'; END IF;
  IF p_event.currency <> 'usd' OR p_event.amount_nano > v_checkout.amount_nano THEN RETURN 'mismatched'; END IF;
  SELECT * INTO v_funding FROM funding
  WHERE account_id = v_checkout.account_id
    AND reference IN ('stripe:' || v_checkout.stripe_session_id, 'stripe:' || v_checkout.stripe_payment_intent_id);

  IF p_event.action NOT IN ('dispute', 'reinstate', 'lose') THEN
    v_refunded_nano := payment_refunded_nano(v_checkout);
    IF v_refunded_nano = v_checkout.refunded_nano THEN RETURN 'no_change'; END IF;
    UPDATE checkout SET refunded_nano = v_refunded_nano WHERE id = v_checkout.id;
    -- Named by the event, which is applied once: the same total can recur after a failed refund.
    v_reference := v_reference || ':' || p_event.id;
    IF v_refunded_nano > v_checkout.refunded_nano THEN
      PERFORM ledger_reverse(v_checkout.account_id, v_refunded_nano - v_checkout.refunded_nano, 'card payment refunded',
                             v_reference, 'stripe');
      PERFORM credit_note_of_payment(v_funding, v_refunded_nano - v_checkout.refunded_nano, 'card payment refunded',
                                     v_reference);
    ELSE
      -- This first pays what is still owed.
      PERFORM ledger_adjust(ledger_new_id(), v_checkout.account_id, v_checkout.refunded_nano - v_refunded_nano,
                            'card refund failed, given back', v_reference, 'stripe');
      PERFORM credit_note_of_payment(v_funding, v_refunded_nano - v_checkout.refunded_nano,
                                     'card refund failed, given back', v_reference);
    END IF;
    RETURN 'applied';
  END IF;

  -- The end of a dispute may be reported before its start: the money is then taken first.
  v_changed := dispute_open(v_funding, p_event.amount_nano, 'card payment disputed', v_reference, 'stripe');
  -- A card whose payment is disputed is not charged again without its owner's word.
  IF v_changed THEN PERFORM top_up_switch_off(v_checkout.account_id, 'dispute'); END IF;
  IF p_event.action <> 'dispute' THEN
    v_changed := dispute_close(v_reference, CASE p_event.action WHEN 'lose' THEN 'lost' ELSE 'won' END::dispute_state,
                               'stripe');
  END IF;
  RETURN CASE WHEN v_changed THEN 'applied' ELSE 'no_change' END;
EXCEPTION
  WHEN SQLSTATE 'FB001' THEN RETURN 'mismatched';
END $$;

-- Payments and Stripe's events are kept.
CREATE OR REPLACE TRIGGER stripe_event_kept BEFORE DELETE ON stripe_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER checkout_kept BEFORE DELETE ON checkout
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

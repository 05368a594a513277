-- Notes that an event of Stripe's was delivered: its id alone, which moves nothing. The worker asks Stripe for it.
-- Outcomes: `noted`, `repeated` (it is noted or was applied before) and `full`, for a login that was taken over could note
-- whatever it invents.
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

-- What Stripe tells about a card payment, each event once, in one transaction with the money that it moves.
--
-- Actions: `pay` (the money of a checkout is there), `await` (it was ordered, and comes later), `end` (it does not come),
-- `refund` (p_amount_nano: all that has been paid back of the charge p_object_id so far), `refund_made` (the refund
-- p_object_id was made), `refund_failed` (it failed, or was canceled: Stripe has its money back), `dispute` (the money of
-- the dispute p_object_id was withdrawn), `reinstate` (and was given back).
-- Outcomes: `applied`, `no_change`, `repeated` (the event was here before), `mismatched` (another amount, currency or
-- session than the checkout's: nothing moved), `unknown_checkout`, and `unmatched`: a refund or dispute of a payment that is
-- not known. Deliveries come in any order, so such an event is kept, and applied when the payment comes.
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
  -- A second delivery at the same moment waits here for the first one's commit.
  INSERT INTO stripe_event (id, type, action, checkout_id, session_id, payment_intent_id, object_id, amount_nano, currency,
                            received_at)
  VALUES (p_event_id, p_type, p_action, p_checkout_id, p_session_id, p_payment_intent_id, p_object_id, p_amount_nano,
          p_currency, clock_timestamp())
  ON CONFLICT (id) DO NOTHING
  RETURNING * INTO v_event;
  IF NOT FOUND THEN RETURN 'repeated'; END IF;

  -- One after the other for a payment: its refund must not miss it, and it must not miss its refund.
  PERFORM pg_advisory_xact_lock(hashtextextended('stripe:' || coalesce(p_payment_intent_id, p_session_id), 0));
  IF p_action IN ('refund', 'refund_made', 'refund_failed', 'dispute', 'reinstate') THEN
    v_event.outcome := payment_take_back(v_event);
  ELSE
    v_event.outcome := payment_settle_checkout(v_event);
  END IF;
  UPDATE stripe_event SET outcome = v_event.outcome WHERE id = p_event_id;
  RETURN v_event.outcome;
END $$;

-- Brings a checkout to the state that an event tells; a paid one is credited, once.
CREATE OR REPLACE FUNCTION payment_settle_checkout(p_event stripe_event) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_checkout checkout;
  v_early stripe_event;
BEGIN
  SELECT * INTO v_checkout FROM checkout WHERE id = p_event.checkout_id FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown_checkout'; END IF;
  IF v_checkout.status = 'paid' THEN RETURN 'no_change'; END IF;
  IF v_checkout.stripe_session_id <> p_event.session_id THEN RETURN 'mismatched'; END IF;
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
                        'stripe:' || p_event.session_id);
  FOR v_early IN
    SELECT * FROM stripe_event
    WHERE payment_intent_id = p_event.payment_intent_id AND outcome = 'unmatched' ORDER BY received_at, id
  LOOP
    UPDATE stripe_event SET outcome = payment_take_back(v_early) WHERE id = v_early.id;
  END LOOP;
  RETURN 'applied';
END $$;

-- How much of a payment is refunded, worked out from all events of it that have come, in whatever order and however often:
-- each refund once, less those that failed. A charge's own sum counts if it is more: by it alone are the refunds known of
-- which no event of their own came. It is never added up, for Stripe takes a failed refund off it again.
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
  -- A refund may be told before the failure of the one that it was made for: no more is taken than was paid.
  SELECT least(made_nano - failed_nano, p_checkout.amount_nano)::bigint FROM sums
$$;

-- Takes back what was refunded or disputed of a payment, or gives back a dispute, or a refund that failed.
CREATE OR REPLACE FUNCTION payment_take_back(p_event stripe_event) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_checkout checkout;
  v_reference text := 'stripe:' || p_event.object_id;
  v_refunded_nano bigint;
  v_created boolean;
BEGIN
  SELECT * INTO v_checkout FROM checkout WHERE stripe_payment_intent_id = p_event.payment_intent_id FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unmatched'; END IF;
  IF p_event.currency <> 'usd' OR p_event.amount_nano > v_checkout.amount_nano THEN RETURN 'mismatched'; END IF;

  IF p_event.action NOT IN ('dispute', 'reinstate') THEN
    v_refunded_nano := payment_refunded_nano(v_checkout);
    IF v_refunded_nano = v_checkout.refunded_nano THEN RETURN 'no_change'; END IF;
    UPDATE checkout SET refunded_nano = v_refunded_nano WHERE id = v_checkout.id;
    -- Named by the event, which is applied once: the same sum can be reached again after a refund has failed.
    v_reference := v_reference || ':' || p_event.id;
    IF v_refunded_nano > v_checkout.refunded_nano THEN
      PERFORM ledger_reverse(v_checkout.account_id, v_refunded_nano - v_checkout.refunded_nano, 'card payment refunded',
                             v_reference, 'stripe');
    ELSE
      -- What of it is still owed is paid from this at once.
      PERFORM ledger_adjust(ledger_new_id(), v_checkout.account_id, v_checkout.refunded_nano - v_refunded_nano,
                            'card refund failed, given back', v_reference, 'stripe');
    END IF;
    RETURN 'applied';
  END IF;

  -- The news that a dispute is over may overtake the news of it: it is taken first, then given back.
  v_created := (SELECT created FROM ledger_reverse(v_checkout.account_id, p_event.amount_nano, 'card payment disputed',
                                                   v_reference, 'stripe'));
  IF p_event.action = 'reinstate' THEN v_created := ledger_reinstate(v_reference, 'stripe'); END IF;
  RETURN CASE WHEN v_created THEN 'applied' ELSE 'no_change' END;
EXCEPTION
  WHEN SQLSTATE 'FB001' THEN RETURN 'mismatched';
END $$;

-- What was paid, and what Stripe told, is kept.
CREATE OR REPLACE TRIGGER stripe_event_kept BEFORE DELETE ON stripe_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER checkout_kept BEFORE DELETE ON checkout
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

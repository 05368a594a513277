-- Reviews: requests whose charge needs a decision by an operator. A review has the id of its hold, so that there is
-- one for each that reserves money, and it is resolved once. A resolution moves money only by new entries.

-- Turns the hold of a request whose charge could not be recorded into a review. The measured amount stays reserved,
-- the rest is released. Returns whether this call did it: a hold that was charged, released, swept or reviewed before
-- no longer exists. If the tokens of a request could not be counted, the reserved amount is an estimate, and no
-- policy charges it.
CREATE OR REPLACE FUNCTION ledger_open_charge_review(p_item ledger_settlement, p_is_uncounted boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_hold hold;
  v_reserved_nano bigint;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_item.account_id]);
  v_now := clock_timestamp();
  DELETE FROM hold WHERE id = p_item.hold_id AND account_id = p_item.account_id RETURNING * INTO v_hold;
  IF NOT FOUND THEN RETURN false; END IF;

  v_reserved_nano := least(p_item.measured_cost_nano, v_hold.amount_nano);
  PERFORM ledger_give_back(v_hold.account_id, v_hold.api_key_id, v_hold.day, v_hold.amount_nano - v_reserved_nano);
  INSERT INTO billing_review (id, account_id, api_key_id, model_id, price_version_id, request_id, idempotency_key, day,
                              reason, held_nano, reserved_nano, measured_cost_nano, prompt_tokens, completion_tokens,
                              cached_tokens, cache_write_tokens, reasoning_tokens, images, outcome, streamed,
                              estimated, latency_ms, first_token_ms, uncounted, created_at)
  VALUES (v_hold.id, v_hold.account_id, v_hold.api_key_id, v_hold.model_id, v_hold.price_version_id,
          v_hold.request_id, v_hold.idempotency_key, v_hold.day, 'charge_failed', v_hold.amount_nano, v_reserved_nano,
          p_item.measured_cost_nano, p_item.prompt_tokens, p_item.completion_tokens, p_item.cached_tokens, p_item.cache_write_tokens,
          p_item.reasoning_tokens, p_item.images, p_item.outcome::usage_outcome, p_item.streamed, p_item.estimated, p_item.latency_ms, p_item.first_token_ms, p_is_uncounted, v_now);
  IF p_item.upstream_id IS NOT NULL THEN
    INSERT INTO usage_route (id, upstream_id, upstream_model, cost_nano)
    VALUES (v_hold.id, p_item.upstream_id, p_item.upstream_model, p_item.upstream_cost_nano);
  END IF;
  UPDATE idempotency_claim SET state = 'withheld'
  WHERE api_key_id = v_hold.api_key_id AND key = v_hold.idempotency_key AND hold_id = v_hold.id;
  RETURN true;
END $$;

-- Resolves an open review, once. `charge` takes the reserved amount: the request's Idempotency-Key stays spent, and
-- its answer withheld. `waive` releases it: the key may be used again. A review that reserves nothing can only be
-- waived. Returns 'resolved', 'no_such_review', 'resolved_before' or 'nothing_reserved'.
CREATE OR REPLACE FUNCTION ledger_resolve_review(
  p_review_id uuid,
  p_is_charge boolean,
  p_resolved_by text,
  p_note text
) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_account_id uuid;
  v_review billing_review;
BEGIN
  SELECT account_id INTO v_account_id FROM billing_review WHERE id = p_review_id;
  IF NOT FOUND THEN RETURN 'no_such_review'; END IF;
  PERFORM ledger_lock_accounts(ARRAY[v_account_id]);
  v_now := ledger_record_time(v_account_id);
  SELECT * INTO v_review FROM billing_review WHERE id = p_review_id;
  IF v_review.state <> 'open' THEN RETURN 'resolved_before'; END IF;
  IF p_is_charge AND v_review.reason <> 'charge_failed' THEN RETURN 'nothing_reserved'; END IF;

  UPDATE billing_review
  SET state = CASE WHEN p_is_charge THEN 'charged' ELSE 'waived' END::review_state,
      resolved_at = v_now, resolved_by = p_resolved_by, note = p_note
  WHERE id = p_review_id;
  IF v_review.reason <> 'charge_failed' THEN RETURN 'resolved'; END IF;

  PERFORM ledger_give_back(v_review.account_id, v_review.api_key_id, v_review.day, v_review.reserved_nano);
  IF p_is_charge THEN
    PERFORM ledger_charge_review(v_review, v_now);
    UPDATE idempotency_claim SET expires_at = v_now + interval '24 hours'
    WHERE api_key_id = v_review.api_key_id AND key = v_review.idempotency_key AND hold_id = v_review.id;
  ELSE
    UPDATE account_day SET requests = requests - 1 WHERE account_id = v_review.account_id AND day = v_review.day;
    DELETE FROM idempotency_claim
    WHERE api_key_id = v_review.api_key_id AND key = v_review.idempotency_key AND hold_id = v_review.id;
  END IF;
  RETURN 'resolved';
END $$;

-- Records the charge of a review whose reserve was released in the same transaction.
CREATE OR REPLACE FUNCTION ledger_charge_review(p_review billing_review, p_now timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_minute_at timestamptz := CASE WHEN p_review.created_at >= date_trunc('minute', clock_timestamp(), 'UTC')
                               THEN date_trunc('minute', p_review.created_at, 'UTC') END;
BEGIN
  IF p_review.reserved_nano > 0 THEN
    PERFORM ledger_append(p_review.id, p_review.account_id, 'charge', 'customer', 'revenue', p_review.reserved_nano,
                          NULL, p_now);
  END IF;
  UPDATE account_day SET spent_nano = spent_nano + p_review.reserved_nano
  WHERE account_id = p_review.account_id AND day = p_review.day;
  UPDATE api_key_month SET spent_nano = spent_nano + p_review.reserved_nano
  WHERE api_key_id = p_review.api_key_id AND month = date_trunc('month', p_review.day)::date;
  INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                            completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, images, cost_nano,
                            outcome, streamed, estimated, day, latency_ms, first_token_ms, created_at)
  VALUES (p_review.id, p_review.account_id, p_review.api_key_id, p_review.model_id, p_review.price_version_id,
          p_review.request_id, p_review.prompt_tokens, p_review.completion_tokens, p_review.cached_tokens,
          p_review.cache_write_tokens, p_review.reasoning_tokens, p_review.images, p_review.reserved_nano,
          p_review.outcome, p_review.streamed, p_review.estimated, p_review.day, p_review.latency_ms,
          p_review.first_token_ms, p_now);
  INSERT INTO usage_hour AS h (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens,
                               cached_tokens, cache_write_tokens, reasoning_tokens, cost_nano, minute_at,
                               minute_requests, minute_tokens, minute_cost_nano)
  VALUES (p_review.account_id, date_trunc('hour', p_now, 'UTC'), p_review.api_key_id, p_review.model_id, 1,
          p_review.prompt_tokens, p_review.completion_tokens, coalesce(p_review.cached_tokens, 0),
          coalesce(p_review.cache_write_tokens, 0), coalesce(p_review.reasoning_tokens, 0), p_review.reserved_nano,
          -- A review may be resolved in the minute of its request. Whether a limit policy applied is not known any more.
          v_minute_at, CASE WHEN v_minute_at IS NULL THEN 0 ELSE 1 END,
          CASE WHEN v_minute_at IS NULL THEN 0 ELSE p_review.prompt_tokens::bigint + p_review.completion_tokens END,
          CASE WHEN v_minute_at IS NULL THEN 0 ELSE p_review.reserved_nano END)
  ON CONFLICT (account_id, hour, api_key_id, model_id) DO UPDATE
  SET requests = h.requests + excluded.requests,
      prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = h.completion_tokens + excluded.completion_tokens,
      cached_tokens = h.cached_tokens + excluded.cached_tokens,
      cache_write_tokens = h.cache_write_tokens + excluded.cache_write_tokens,
      reasoning_tokens = h.reasoning_tokens + excluded.reasoning_tokens,
      cost_nano = h.cost_nano + excluded.cost_nano,
      minute_at = greatest(h.minute_at, excluded.minute_at),
      minute_requests = CASE WHEN excluded.minute_at > h.minute_at THEN 0 ELSE h.minute_requests END + excluded.minute_requests,
      minute_tokens = CASE WHEN excluded.minute_at > h.minute_at THEN 0 ELSE h.minute_tokens END + excluded.minute_tokens,
      minute_cost_nano = CASE WHEN excluded.minute_at > h.minute_at THEN 0 ELSE h.minute_cost_nano END
                         + excluded.minute_cost_nano;
END $$;

-- Lowers the held amount of an account's funds, its day and its key's month.
CREATE OR REPLACE FUNCTION ledger_give_back(p_account_id uuid, p_api_key_id uuid, p_day date, p_amount_nano bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_funds SET held_nano = held_nano - p_amount_nano WHERE account_id = p_account_id;
  UPDATE account_day SET held_nano = held_nano - p_amount_nano WHERE account_id = p_account_id AND day = p_day;
  UPDATE api_key_month SET held_nano = held_nano - p_amount_nano
  WHERE api_key_id = p_api_key_id AND month = date_trunc('month', p_day)::date;
END $$;

-- Counts a charge for review that reserves nothing. There is one open review for an account, a model, a day and a
-- reason: an upstream that reports nonsense all day needs one fix. It has the id of its first hold, whose tokens and
-- times it shows, and the sums of the held and measured amounts. The caller holds the account's lock.
CREATE OR REPLACE FUNCTION ledger_count_review(
  p_reason review_reason,
  p_hold_id uuid,
  p_held_nano bigint,
  p_measured_cost_nano bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_usage usage_record;
  v_most numeric := 9223372036854775807;
BEGIN
  SELECT * INTO v_usage FROM usage_record WHERE id = p_hold_id;
  UPDATE billing_review
  SET request_count = least(request_count::bigint + 1, 2147483647)::int,
      held_nano = least(held_nano::numeric + p_held_nano, v_most)::bigint,
      measured_cost_nano = least(measured_cost_nano::numeric + p_measured_cost_nano, v_most)::bigint,
      last_request_id = v_usage.request_id, last_at = v_usage.created_at
  WHERE id = (SELECT id FROM billing_review
              WHERE account_id = v_usage.account_id AND reason = p_reason AND day = v_usage.day AND state = 'open'
                AND model_id IS NOT DISTINCT FROM v_usage.model_id
              ORDER BY id LIMIT 1);
  IF FOUND THEN RETURN; END IF;
  INSERT INTO billing_review (id, account_id, api_key_id, model_id, price_version_id, request_id, day, reason,
                              held_nano, measured_cost_nano, prompt_tokens, completion_tokens, cached_tokens,
                              cache_write_tokens, reasoning_tokens, images, outcome, streamed, estimated,
                              latency_ms, first_token_ms, created_at)
  VALUES (v_usage.id, v_usage.account_id, v_usage.api_key_id, v_usage.model_id, v_usage.price_version_id,
          v_usage.request_id, v_usage.day, p_reason, p_held_nano, p_measured_cost_nano, v_usage.prompt_tokens,
          v_usage.completion_tokens, v_usage.cached_tokens, v_usage.cache_write_tokens, v_usage.reasoning_tokens,
          v_usage.images, v_usage.outcome, v_usage.streamed, v_usage.estimated, v_usage.latency_ms,
          v_usage.first_token_ms, v_usage.created_at)
  -- It has a review for another reason.
  ON CONFLICT (id) DO NOTHING;
END $$;

-- Counts a charge whose upstream reported impossible usage. The held amount is no longer known: the charge replaces
-- it.
CREATE OR REPLACE FUNCTION ledger_count_implausible_usage(p_hold_id uuid, p_account_id uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_cost_nano bigint;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  SELECT cost_nano INTO v_cost_nano FROM usage_record WHERE id = p_hold_id AND account_id = p_account_id;
  IF FOUND THEN
    PERFORM ledger_count_review('usage_implausible', p_hold_id, v_cost_nano, v_cost_nano);
  END IF;
END $$;

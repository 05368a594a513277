-- Resolves one hold, as ledger_settle_holds says. Answers resolved or not_held, or contended if somebody else has the
-- account's lock: then nothing was done, and nothing was waited for.
CREATE OR REPLACE FUNCTION ledger_settle_hold(
  p_hold_id uuid,
  p_account_id uuid,
  p_measured_cost_nano bigint,
  p_prompt_tokens int,
  p_completion_tokens int,
  p_cached_tokens int,
  p_cache_write_tokens int,
  p_reasoning_tokens int,
  p_images int,
  p_upstream_id text,
  p_upstream_model text,
  p_upstream_cost_nano bigint,
  p_outcome text,
  p_streamed boolean,
  p_estimated boolean,
  p_latency_ms int,
  p_first_token_ms int,
  p_answer bytea
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_hold hold;
  v_is_charge boolean := p_measured_cost_nano IS NOT NULL;
  v_cost_nano bigint := 0;
  v_funds account_funds;
BEGIN
  IF NOT ledger_try_lock(p_account_id) THEN RETURN 'contended'; END IF;
  v_now := ledger_time();
  IF p_answer IS NOT NULL THEN
    p_answer := (ledger_keep_answers(ARRAY[p_hold_id], ARRAY[p_account_id], ARRAY[p_answer], v_now))[1];
  END IF;
  DELETE FROM hold WHERE id = p_hold_id AND account_id = p_account_id RETURNING * INTO v_hold;
  IF NOT FOUND THEN RETURN 'not_held'; END IF;
  -- least() passes over NULL: a release must be told apart first.
  IF v_is_charge THEN v_cost_nano := least(p_measured_cost_nano, v_hold.amount_nano); END IF;

  UPDATE account_funds
  SET balance_nano = balance_nano - v_cost_nano,
      held_nano = held_nano - v_hold.amount_nano,
      last_seq = last_seq + CASE WHEN v_cost_nano > 0 THEN 1 ELSE 0 END,
      entry_before_id = last_entry_id,
      last_entry_id = CASE WHEN v_cost_nano > 0 THEN v_hold.id ELSE last_entry_id END,
      recorded_at = CASE WHEN v_is_charge THEN greatest(v_now, recorded_at + interval '1 microsecond')
                         ELSE recorded_at END
  WHERE account_id = v_hold.account_id
  RETURNING * INTO v_funds;
  UPDATE account_day
  SET requests = requests - CASE WHEN v_is_charge THEN 0 ELSE 1 END, spent_nano = spent_nano + v_cost_nano,
      held_nano = held_nano - v_hold.amount_nano
  WHERE account_id = v_hold.account_id AND day = v_hold.day;
  UPDATE api_key_month
  SET spent_nano = spent_nano + v_cost_nano, held_nano = held_nano - v_hold.amount_nano
  WHERE api_key_id = v_hold.api_key_id AND month = date_trunc('month', v_hold.day)::date;

  IF NOT v_is_charge THEN
    IF p_outcome = 'abandoned' THEN
      PERFORM ledger_count_abandoned(v_hold, p_upstream_id, p_upstream_model, p_upstream_cost_nano, v_now);
    END IF;
    IF v_hold.idempotency_key IS NOT NULL THEN
      DELETE FROM idempotency_claim
      WHERE api_key_id = v_hold.api_key_id AND key = v_hold.idempotency_key AND hold_id = v_hold.id;
    END IF;
    RETURN 'resolved';
  END IF;
  IF v_cost_nano > 0 THEN
    INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano,
                              created_at)
    VALUES (v_hold.id, v_hold.account_id, v_funds.last_seq, 'charge', 'customer', 'revenue', v_cost_nano,
            v_funds.balance_nano, v_funds.recorded_at);
  END IF;
  INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                            completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, images, cost_nano,
                            outcome, streamed, estimated, day, latency_ms, first_token_ms, created_at)
  VALUES (v_hold.id, v_hold.account_id, v_hold.api_key_id, v_hold.model_id, v_hold.price_version_id,
          v_hold.request_id, p_prompt_tokens, p_completion_tokens, p_cached_tokens, p_cache_write_tokens,
          p_reasoning_tokens, p_images, v_cost_nano, p_outcome::usage_outcome, p_streamed,
          p_estimated, v_hold.day, p_latency_ms, p_first_token_ms, v_funds.recorded_at);
  INSERT INTO usage_hour AS h (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens,
                               cached_tokens, cache_write_tokens, reasoning_tokens, cost_nano)
  VALUES (v_hold.account_id, date_trunc('hour', v_funds.recorded_at, 'UTC'), v_hold.api_key_id, v_hold.model_id, 1,
          p_prompt_tokens, p_completion_tokens, coalesce(p_cached_tokens, 0),
          coalesce(p_cache_write_tokens, 0), coalesce(p_reasoning_tokens, 0), v_cost_nano)
  ON CONFLICT (account_id, hour, api_key_id, model_id) DO UPDATE
  SET requests = h.requests + excluded.requests,
      prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = h.completion_tokens + excluded.completion_tokens,
      cached_tokens = h.cached_tokens + excluded.cached_tokens,
      cache_write_tokens = h.cache_write_tokens + excluded.cache_write_tokens,
      reasoning_tokens = h.reasoning_tokens + excluded.reasoning_tokens,
      cost_nano = h.cost_nano + excluded.cost_nano;
  IF p_upstream_id IS NOT NULL THEN
    INSERT INTO usage_route (id, upstream_id, upstream_model, cost_nano)
    VALUES (v_hold.id, p_upstream_id, p_upstream_model, p_upstream_cost_nano);
  END IF;
  IF v_hold.idempotency_key IS NOT NULL THEN
    UPDATE idempotency_claim
    SET state = CASE WHEN p_answer IS NULL THEN 'withheld' ELSE 'answered' END::claim_state,
        answer = p_answer, expires_at = v_now + interval '24 hours'
    WHERE api_key_id = v_hold.api_key_id AND key = v_hold.idempotency_key AND hold_id = v_hold.id;
  END IF;
  IF p_measured_cost_nano > v_hold.amount_nano THEN
    PERFORM ledger_count_review('usage_over_hold', v_hold.id, v_hold.amount_nano, p_measured_cost_nano);
  END IF;
  RETURN 'resolved';
END $$;

-- Locks the funds of accounts, in the one order in which they are ever locked.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(p_account_id uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM account_funds WHERE account_id = ANY (p_account_id) ORDER BY account_id FOR NO KEY UPDATE;
END $$;

-- Everything that waits in a gateway, in one transaction and one round trip. Charges and releases come first: what
-- they give back is there for the holds of the same batch. No lock outlives the call.
--
-- It waits for the lock of one account at most, which it does first, while it holds none (NULL: for no lock at all). Of the
-- other accounts it takes what is free: those that somebody else has locked are answered as contended, and nothing was
-- done of their items. So no account that is locked keeps the requests of another waiting.
CREATE OR REPLACE FUNCTION ledger_run_batch(
  p_awaited_account_id uuid,
  s_hold_id uuid[],
  s_account_id uuid[],
  s_measured_cost_nano bigint[],
  s_prompt_tokens int[],
  s_completion_tokens int[],
  s_cached_tokens int[],
  s_cache_write_tokens int[],
  s_reasoning_tokens int[],
  s_images int[],
  s_upstream_id text[],
  s_upstream_model text[],
  s_upstream_cost_nano bigint[],
  s_outcome text[],
  s_streamed boolean[],
  s_estimated boolean[],
  s_latency_ms int[],
  s_first_token_ms int[],
  s_answer bytea[],
  a_gateway_instance_id uuid,
  a_hold_id uuid[],
  a_account_id uuid[],
  a_api_key_id uuid[],
  a_api_key_version int[],
  a_cohort_name text[],
  a_amount_nano bigint[],
  a_model_id text[],
  a_price_version_id uuid[],
  a_request_id text[],
  a_idempotency_key text[],
  a_fingerprint bytea[],
  OUT resolved uuid[],
  OUT outcomes text[],
  OUT available_nano bigint[],
  OUT replayed_hold_id uuid[],
  OUT contended uuid[]
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
-- Every row is found by its key, whatever the statistics said when the plan was made: a table that was small then, or
-- seems small beside the batch, must not be read whole.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
SET random_page_cost = 0.01 SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_account_id uuid[] := s_account_id || a_account_id;
  v_locked uuid[];
  v_contended uuid;
  v_placed record;
BEGIN
  IF cardinality(v_account_id) > 1 THEN
    v_account_id := ARRAY(SELECT DISTINCT unnest(v_account_id));
  END IF;
  IF p_awaited_account_id IS NOT NULL THEN
    PERFORM ledger_lock_accounts(ARRAY[p_awaited_account_id]);
  END IF;
  v_locked := ARRAY(SELECT account_id FROM account_funds WHERE account_id = ANY (v_account_id)
                    ORDER BY account_id FOR NO KEY UPDATE SKIP LOCKED);
  IF cardinality(v_locked) < cardinality(v_account_id) THEN
    contended := ARRAY(SELECT account_id FROM account_funds
                       WHERE account_id = ANY (v_account_id) AND account_id <> ALL (v_locked));
    IF cardinality(contended) = cardinality(v_account_id) THEN RETURN; END IF;
    -- An item without an account finds neither hold nor key: nothing comes of it.
    FOREACH v_contended IN ARRAY contended LOOP
      s_account_id := array_replace(s_account_id, v_contended, NULL);
      a_account_id := array_replace(a_account_id, v_contended, NULL);
    END LOOP;
  END IF;
  IF cardinality(s_hold_id) > 0 THEN
    resolved := ledger_settle_holds(s_hold_id, s_account_id, s_measured_cost_nano, s_prompt_tokens,
                                    s_completion_tokens, s_cached_tokens, s_cache_write_tokens, s_reasoning_tokens,
                                    s_images, s_upstream_id, s_upstream_model, s_upstream_cost_nano, s_outcome,
                                    s_streamed, s_estimated, s_latency_ms, s_first_token_ms, s_answer);
  END IF;
  IF cardinality(a_hold_id) > 0 THEN
    v_placed := ledger_place_holds(a_gateway_instance_id, a_hold_id, a_account_id, a_api_key_id, a_api_key_version,
                                   a_cohort_name, a_amount_nano, a_model_id, a_price_version_id, a_request_id,
                                   a_idempotency_key, a_fingerprint);
    outcomes := v_placed.outcomes;
    available_nano := v_placed.available_nano;
    replayed_hold_id := v_placed.replayed_hold_id;
  END IF;
END $$;

-- What became of requests whose transaction may or may not have committed: 'held', 'charged', 'reviewed' or 'none'. One whose
-- hold was swept, or whose charge failed, is in review: it is not as if it had never been held.
CREATE OR REPLACE FUNCTION ledger_hold_states(p_hold_id uuid[]) RETURNS text[] LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch: every row is found by its key, and in the month that its key is of.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
  SELECT array_agg(CASE WHEN h.id IS NOT NULL THEN 'held' WHEN u.id IS NOT NULL THEN 'charged'
                        WHEN r.id IS NOT NULL THEN 'reviewed' ELSE 'none' END
                   ORDER BY i.position)
  FROM unnest(p_hold_id) WITH ORDINALITY AS i(id, position)
  LEFT JOIN hold h ON h.id = i.id
  LEFT JOIN usage_record u ON u.id = i.id
  LEFT JOIN billing_review r ON r.id = i.id
$$;

-- A gateway's lease: its holds are its own until then. Whoever does not know the id of a gateway changes no lease of it.
CREATE OR REPLACE FUNCTION ledger_renew_lease(p_gateway_instance_id uuid, p_lease interval) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO gateway_instance (id, lease_expires_at) VALUES (p_gateway_instance_id, clock_timestamp() + p_lease)
  ON CONFLICT (id) DO UPDATE SET lease_expires_at = excluded.lease_expires_at
$$;

-- Ends a lease at once, so that whatever is still held may be swept.
CREATE OR REPLACE FUNCTION ledger_end_lease(p_gateway_instance_id uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE gateway_instance SET lease_expires_at = clock_timestamp() WHERE id = p_gateway_instance_id
$$;

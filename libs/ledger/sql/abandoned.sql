-- Requests whose response was not delivered, or not completely: the operator pays the upstream for output that no
-- customer pays for. Each has a row, and its account's day counts them against the allowance
-- (ledger_outcome_of_hold).

CREATE OR REPLACE TRIGGER abandoned_request_append_only BEFORE UPDATE ON abandoned_request
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER abandoned_request_no_truncate BEFORE TRUNCATE ON abandoned_request
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Counts a hold that is being released because its client left before any delivery: the request stays in the day's
-- number, and its cost counts up to its hold. The caller holds the account's lock.
CREATE OR REPLACE FUNCTION ledger_count_abandoned(
  p_hold hold,
  p_upstream_id text,
  p_upstream_model text,
  p_cost_nano bigint,
  p_now timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_cost_nano bigint := least(p_cost_nano, p_hold.amount_nano);
BEGIN
  INSERT INTO abandoned_request (id, account_id, api_key_id, model_id, upstream_id, upstream_model, cost_nano, was_charged,
                                 day, created_at)
  VALUES (p_hold.id, p_hold.account_id, p_hold.api_key_id, p_hold.model_id, p_upstream_id, p_upstream_model, v_cost_nano,
          false, p_hold.day, p_now);
  UPDATE account_day
  SET requests = requests + 1, abandoned_requests = abandoned_requests + 1, abandoned_nano = abandoned_nano + v_cost_nano
  WHERE account_id = p_hold.account_id AND day = p_hold.day;
END $$;

-- Refunds a charge, once, if nothing of its response was written to the client: like ledger_refund, or like
-- ledger_refund_withheld if a repetition may get the answer (p_unless_kept). It counts as abandoned, with the cost of
-- its route or else its charge; from the third of an account's day on it opens a review. Returns whether this call
-- did it.
CREATE OR REPLACE FUNCTION ledger_refund_lost(p_entry_id uuid, p_charge_id uuid, p_unless_kept boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_usage usage_record;
  v_route usage_route;
  v_cost_nano bigint;
  v_lost int;
BEGIN
  IF p_unless_kept THEN
    IF NOT ledger_refund_withheld(p_entry_id, p_charge_id) THEN RETURN false; END IF;
  ELSIF NOT ledger_refund(p_entry_id, p_charge_id) THEN
    RETURN false;
  END IF;
  SELECT * INTO STRICT v_usage FROM usage_record WHERE id = p_charge_id;
  SELECT * INTO v_route FROM usage_route WHERE id = p_charge_id;
  v_cost_nano := coalesce(v_route.cost_nano, v_usage.cost_nano);
  INSERT INTO abandoned_request (id, account_id, api_key_id, model_id, upstream_id, upstream_model, cost_nano, was_charged,
                                 day, created_at)
  VALUES (v_usage.id, v_usage.account_id, v_usage.api_key_id, v_usage.model_id, v_route.upstream_id, v_route.upstream_model,
          v_cost_nano, true, v_usage.day, ledger_time());
  UPDATE account_day
  SET abandoned_requests = abandoned_requests + 1, abandoned_nano = abandoned_nano + v_cost_nano
  WHERE account_id = v_usage.account_id AND day = v_usage.day;
  SELECT count(*) INTO v_lost
  FROM (SELECT FROM abandoned_request
        WHERE account_id = v_usage.account_id AND day = v_usage.day AND was_charged AND NOT is_rest LIMIT 3) lost;
  IF v_lost > 2 THEN
    PERFORM ledger_count_review('response_lost', v_usage.id, v_usage.cost_nano, v_cost_nano);
  END IF;
  RETURN true;
END $$;

-- Counts the cost of a stream that was charged in part because its client left early: output of its upstream that was
-- neither delivered nor paid for. The charge stands, and the request counts once. Returns whether this call did it.
CREATE OR REPLACE FUNCTION ledger_count_unpaid(p_charge_id uuid, p_cost_nano bigint) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_usage usage_record;
  v_route usage_route;
BEGIN
  SELECT * INTO v_usage FROM usage_record WHERE id = p_charge_id;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_lock_accounts(ARRAY[v_usage.account_id]);
  SELECT * INTO v_route FROM usage_route WHERE id = p_charge_id;
  INSERT INTO abandoned_request (id, account_id, api_key_id, model_id, upstream_id, upstream_model, cost_nano, was_charged,
                                 is_rest, day, created_at)
  VALUES (v_usage.id, v_usage.account_id, v_usage.api_key_id, v_usage.model_id, v_route.upstream_id, v_route.upstream_model,
          p_cost_nano, true, true, v_usage.day, ledger_time())
  ON CONFLICT (id) DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE account_day SET abandoned_nano = abandoned_nano + p_cost_nano
  WHERE account_id = v_usage.account_id AND day = v_usage.day;
  RETURN true;
END $$;

-- Purges expired rows, together with the request records (usage_retention), at most p_limit, oldest first. An id
-- contains the time of its request, so this is a range of the primary key. Returns how many were purged.
CREATE OR REPLACE FUNCTION ledger_purge_abandoned(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  v_before timestamptz;
  v_purged int;
BEGIN
  SELECT purged_before INTO STRICT v_before FROM usage_retention WHERE id = 1;
  DELETE FROM abandoned_request
  WHERE id IN (
    SELECT id FROM abandoned_request
    WHERE id < ledger_first_id_of(v_before) AND created_at < v_before
    ORDER BY id LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_purged = ROW_COUNT;
  RETURN v_purged;
END $$;

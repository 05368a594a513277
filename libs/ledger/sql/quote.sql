-- What a key of an account may spend now, and the first of these amounts that could be held: the held, spent and
-- available amounts, and the decision of the admission. It holds, locks and claims nothing: a moment later the result
-- may differ. `outcome` is that of ledger_decide_hold, with its detail after a colon: the states of limit policies. No row
-- if the key is not the account's.
CREATE OR REPLACE FUNCTION ledger_quote(
  p_account_id uuid,
  p_api_key_id uuid,
  p_api_key_version int,
  p_cohort_name text,
  p_amount_nano bigint[],
  p_model_id text,
  p_most_tokens int[]
) RETURNS TABLE (
  outcome text,
  amount_nano bigint,
  balance_nano bigint,
  held_nano bigint,
  running bigint,
  running_nano bigint,
  day_requests int,
  daily_request_cap int,
  day_spent_nano bigint,
  day_held_nano bigint,
  daily_spend_cap_nano bigint,
  month_spent_nano bigint,
  month_held_nano bigint,
  monthly_spend_limit_nano bigint,
  quoted_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch, every row is found by its key, except for the few holds.
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET random_page_cost = 0.01
AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_item ledger_admission;
BEGIN
  v_item.account_id := p_account_id;
  v_item.api_key_id := p_api_key_id;
  v_item.api_key_version := p_api_key_version;
  v_item.cohort_name := p_cohort_name;
  v_item.model_id := p_model_id;
  FOR i IN 1 .. cardinality(p_amount_nano) LOOP
    amount_nano := p_amount_nano[i];
    v_item.amount_nano := amount_nano;
    v_item.most_tokens := p_most_tokens[i];
    outcome := ledger_decide_hold(v_now, v_item);
    EXIT WHEN ledger_is_admitted(outcome);
  END LOOP;
  RETURN QUERY
    SELECT ledger_quote.outcome, ledger_quote.amount_nano, f.balance_nano, f.held_nano, h.running, h.running_nano,
           coalesce(d.requests, 0), coalesce(a.daily_request_cap, c.daily_request_cap),
           coalesce(d.spent_nano, 0), coalesce(d.held_nano, 0), coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano),
           coalesce(m.spent_nano, 0), coalesce(m.held_nano, 0), k.monthly_spend_limit_nano, v_now
    FROM api_key k
    JOIN account a ON a.id = k.account_id
    JOIN account_funds f ON f.account_id = a.id
    JOIN cohort c ON c.name = a.cohort_name
    LEFT JOIN account_day d ON d.account_id = a.id AND d.day = (v_now AT TIME ZONE 'UTC')::date
    LEFT JOIN api_key_month m ON m.api_key_id = k.id
      AND m.month = date_trunc('month', v_now AT TIME ZONE 'UTC')::date
    CROSS JOIN LATERAL (
      SELECT count(*) AS running, coalesce(sum(o.amount_nano), 0)::bigint AS running_nano
      FROM hold o WHERE o.account_id = a.id
    ) h
    WHERE k.id = p_api_key_id AND k.account_id = p_account_id;
END $$;

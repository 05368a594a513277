-- An account's charged requests of one key, one model, or both, in these UTC hours, given newest first by their
-- beginnings; newest first, at most p_limit. A null leaves a condition out. Reads each hour by the index over account,
-- time and id, from its newest request on, and no further than it must. That index has the key and the model too: only
-- what is found is read from the table.
--
-- The plan is made once a connection: one of a query over many hours took three times as long to make as to run. What
-- the settings leave to the planner is that index. A sort, or a bitmap, would read an hour whole for its newest rows.
CREATE OR REPLACE FUNCTION ledger_usage_of_hours(
  p_account_id uuid,
  p_hours timestamptz[],
  p_from timestamptz,
  p_to timestamptz,
  p_after_created_at timestamptz,
  p_after_id uuid,
  p_api_key_id uuid,
  p_model_id text,
  p_limit int
) RETURNS SETOF usage_record LANGUAGE plpgsql STABLE
SET enable_bitmapscan = off SET enable_seqscan = off SET enable_sort = off SET enable_hashjoin = off
SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_hour timestamptz;
  v_left int := p_limit;
  v_found int;
BEGIN
  FOREACH v_hour IN ARRAY p_hours LOOP
    RETURN QUERY
      SELECT record.* FROM (
        SELECT u.created_at, u.id FROM usage_record u
        WHERE u.account_id = p_account_id
          AND u.created_at >= greatest(v_hour, p_from) AND u.created_at < least(v_hour + interval '1 hour', p_to)
          AND (u.created_at, u.id) < (coalesce(p_after_created_at, 'infinity'),
                                      coalesce(p_after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
          AND (p_api_key_id IS NULL OR u.api_key_id = p_api_key_id)
          AND (p_model_id IS NULL OR u.model_id = p_model_id)
        ORDER BY u.created_at DESC, u.id DESC LIMIT v_left
      ) found
      JOIN usage_record record ON record.id = found.id
      ORDER BY found.created_at DESC, found.id DESC;
    GET DIAGNOSTICS v_found = ROW_COUNT;
    v_left := v_left - v_found;
    EXIT WHEN v_left = 0;
  END LOOP;
END $$;

-- Makes the catalogue equal to p_rows, which has rows of the tables by their columns: changed prices become new price
-- versions, models that are not among the rows are disabled, and other upstreams are deleted. Gateways notice the new
-- version and reload.
CREATE OR REPLACE FUNCTION catalog_write(p_rows jsonb, OUT new_version int, OUT new_prices int) LANGUAGE plpgsql AS $$
DECLARE
  v_applied_at timestamptz;
BEGIN
  -- The row is the lock that serialises concurrent applies. It also orders them in time: the later apply gets the newer
  -- prices even if the clock went back.
  UPDATE catalog_state
  SET version = version + 1, applied_at = greatest(clock_timestamp(), applied_at + interval '1 microsecond')
  RETURNING version, applied_at INTO new_version, v_applied_at;

  INSERT INTO upstream (id, base_url, api_key_env, max_tokens_field, wire, prompt_cache, dialect,
                        connect_timeout_ms, first_byte_timeout_ms, idle_timeout_ms, total_timeout_ms)
  SELECT id, base_url, api_key_env, max_tokens_field, wire, prompt_cache, dialect,
         connect_timeout_ms, first_byte_timeout_ms, idle_timeout_ms, total_timeout_ms
  FROM jsonb_populate_recordset(NULL::upstream, p_rows -> 'upstreams')
  ON CONFLICT (id) DO UPDATE SET
    base_url = excluded.base_url, api_key_env = excluded.api_key_env, max_tokens_field = excluded.max_tokens_field,
    wire = excluded.wire, prompt_cache = excluded.prompt_cache, dialect = excluded.dialect,
    connect_timeout_ms = excluded.connect_timeout_ms, first_byte_timeout_ms = excluded.first_byte_timeout_ms,
    idle_timeout_ms = excluded.idle_timeout_ms, total_timeout_ms = excluded.total_timeout_ms;

  INSERT INTO model (id, kind, owned_by, position, visibility, cohorts, context_window, max_output_tokens,
                     default_max_output_tokens, tokenizer, prompt_overhead, message_overhead, tools_overhead, modalities,
                     image_tokens, file_tokens, extra_fields)
  SELECT id, kind, owned_by, position, visibility, cohorts, context_window, max_output_tokens,
         default_max_output_tokens, tokenizer, prompt_overhead, message_overhead, tools_overhead, modalities,
         image_tokens, file_tokens, extra_fields
  FROM jsonb_populate_recordset(NULL::model, p_rows -> 'models')
  ON CONFLICT (id) DO UPDATE SET
    kind = excluded.kind, owned_by = excluded.owned_by, position = excluded.position, visibility = excluded.visibility,
    cohorts = excluded.cohorts, context_window = excluded.context_window, max_output_tokens = excluded.max_output_tokens,
    default_max_output_tokens = excluded.default_max_output_tokens, tokenizer = excluded.tokenizer,
    prompt_overhead = excluded.prompt_overhead, message_overhead = excluded.message_overhead,
    tools_overhead = excluded.tools_overhead, modalities = excluded.modalities, image_tokens = excluded.image_tokens,
    file_tokens = excluded.file_tokens, extra_fields = excluded.extra_fields;
  UPDATE model SET visibility = 'disabled' WHERE id NOT IN (SELECT m ->> 'id' FROM jsonb_array_elements(p_rows -> 'models') m);

  DELETE FROM model_route;
  DELETE FROM upstream WHERE id NOT IN (SELECT u ->> 'id' FROM jsonb_array_elements(p_rows -> 'upstreams') u);
  INSERT INTO model_route (model_id, position, upstream_id, upstream_model, weight, priority)
  SELECT model_id, position, upstream_id, upstream_model, weight, priority
  FROM jsonb_populate_recordset(NULL::model_route, p_rows -> 'routes');
  INSERT INTO route_cost (model_id, position, price)
  SELECT model_id, position, price FROM jsonb_populate_recordset(NULL::route_cost, p_rows -> 'costs');

  INSERT INTO price_version (id, model_id, starts_at, input_price_pico, output_price_pico, cached_input_price_pico,
                             cache_write_price_pico, reasoning_price_pico, image_price_pico, request_price_pico, steps)
  SELECT id, model_id, v_applied_at, input_price_pico, output_price_pico, cached_input_price_pico,
         cache_write_price_pico, reasoning_price_pico, image_price_pico, request_price_pico, steps
  FROM jsonb_populate_recordset(NULL::price_version, p_rows -> 'prices') p
  WHERE NOT EXISTS (
    SELECT FROM (SELECT * FROM price_version q WHERE q.model_id = p.model_id ORDER BY q.starts_at DESC LIMIT 1) newest
    WHERE (newest.input_price_pico, newest.output_price_pico, newest.cached_input_price_pico, newest.cache_write_price_pico,
           newest.reasoning_price_pico, newest.image_price_pico, newest.request_price_pico, newest.steps)
      IS NOT DISTINCT FROM (p.input_price_pico, p.output_price_pico, p.cached_input_price_pico, p.cache_write_price_pico,
                            p.reasoning_price_pico, p.image_price_pico, p.request_price_pico, p.steps));
  GET DIAGNOSTICS new_prices = ROW_COUNT;
END $$;

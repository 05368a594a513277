-- The first step to partitions by month: where the tables that are there end. Their new rows are held to it at once, those
-- that are there by the next migration. The bound is far enough ahead for a gateway whose clock is.
DO $$
DECLARE
  v_table text;
  v_last uuid;
  v_after timestamptz;
  v_month timestamptz;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['ledger_entry', 'usage_record'] LOOP
    EXECUTE format('SELECT id FROM %I ORDER BY id DESC LIMIT 1', v_table) INTO v_last;
    -- An id begins with its milliseconds since 1970. A broken clock may have made one that is far ahead.
    v_after := greatest(clock_timestamp() + interval '1 month', to_timestamp(
      ('x' || coalesce(left(replace(v_last::text, '-', ''), 12), '000000000000'))::bit(48)::bigint / 1000.0));
    v_month := (date_trunc('month', v_after AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (id < %L::uuid) NOT VALID', v_table, v_table || '_bound',
                   lpad(to_hex((extract(epoch FROM v_month) * 1000)::bigint), 12, '0') || '70008000000000000000');
  END LOOP;
END $$;

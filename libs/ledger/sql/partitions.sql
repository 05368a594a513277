-- The partitions of ledger_entry and usage_record: one month of ids each, in a separate schema. An id contains the
-- time of the admission, so that a look-up by id reads only one of them.

-- The time in an id (UUID version 7).
CREATE OR REPLACE FUNCTION ledger_time_of_id(p_id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- The lowest possible id (UUID version 7) of this time or later.
CREATE OR REPLACE FUNCTION ledger_first_id_of(p_time timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM p_time) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- All partitions, with the times of their ids: from first_at on (null: from the beginning of time), before end_at.
-- The one with neither takes the ids outside of all others.
CREATE OR REPLACE FUNCTION ledger_partitions() RETURNS TABLE (
  of_table text,
  name text,
  first_at timestamptz,
  end_at timestamptz
) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.relname, c.relname,
         ledger_time_of_id(substring(b.bound FROM 'FROM \(''([0-9a-f-]{36})')::uuid),
         ledger_time_of_id(substring(b.bound FROM 'TO \(''([0-9a-f-]{36})')::uuid)
  FROM pg_inherits i
  JOIN pg_class p ON p.oid = i.inhparent
  JOIN pg_class c ON c.oid = i.inhrelid
  CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) b
  WHERE p.oid IN ('ledger_entry'::regclass, 'usage_record'::regclass)
  ORDER BY 1, 4 NULLS LAST
$$;

-- How far the partitions reach, in the table in which they reach least, and how many rows are beyond, up to 1,000.
CREATE OR REPLACE FUNCTION ledger_partition_reach(OUT end_at timestamptz, OUT rows_beyond int) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT (SELECT min(r.end_at) FROM (SELECT max(p.end_at) AS end_at FROM ledger_partitions() p GROUP BY p.of_table) r),
         (SELECT count(*)::int FROM (SELECT FROM farebox_partition.ledger_entry_beyond
                                     UNION ALL SELECT FROM farebox_partition.usage_record_beyond LIMIT 1000) b)
$$;

-- Creates the next missing partition of this month and the p_months after it, one a call: no lock outlives it.
-- Returns its name; null if none is missing, or if another session is creating it.
--
-- Charges continue: attaching locks out no reader and no writer of the table, except for the default partition. That
-- one is empty, or nearly so, and if another session has it locked, this call gives up after a moment.
CREATE OR REPLACE FUNCTION ledger_make_partition(p_months int) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
  v_wanted timestamptz := (date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')
                           + make_interval(months => p_months + 1)) AT TIME ZONE 'UTC';
  v_table text;
  v_from timestamptz;
  v_to timestamptz;
  v_name text;
BEGIN
  IF p_months NOT BETWEEN 1 AND 24 THEN
    RAISE EXCEPTION 'partitions are made for 1 to 24 months ahead' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(hashtext('farebox partitions')) THEN RETURN NULL; END IF;
  SELECT of_table, max(end_at) INTO v_table, v_from FROM ledger_partitions()
  GROUP BY of_table HAVING max(end_at) < v_wanted ORDER BY 2, 1 LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;

  v_to := (date_trunc('month', v_from AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
  v_name := v_table || to_char(v_from AT TIME ZONE 'UTC', '_YYYY_MM');
  PERFORM ledger_create_partition_table(v_table, v_name);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION farebox_partition.%I FOR VALUES FROM (%L) TO (%L)', v_table, v_name,
                 ledger_first_id_of(v_from), ledger_first_id_of(v_to));
  RETURN v_name;
END $$;

-- Creates a table that can become a partition of this table: with its columns, constraints, indexes and triggers.
CREATE OR REPLACE FUNCTION ledger_create_partition_table(p_table text, p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE farebox_partition.%I (LIKE %I INCLUDING ALL)', p_name, p_table);
  IF p_table = 'usage_record' THEN
    EXECUTE format('ALTER TABLE farebox_partition.%I SET (autovacuum_vacuum_insert_scale_factor = 0.01)', p_name);
  END IF;
  PERFORM ledger_guard_partition(p_table, p_name);
END $$;

-- Analyses both tables for the planner. Autovacuum does that for partitions, but not for their parents.
CREATE OR REPLACE FUNCTION ledger_analyze_partitioned() RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '100ms' AS $$
BEGIN
  ANALYZE ONLY ledger_entry;
  ANALYZE ONLY usage_record;
END $$;

-- Removes the oldest partition of usage_record whose records have all expired (usage_retention): dropped, so that its
-- space is free at once, or detached whole (p_archive), as a table of the schema farebox_archive. The records of
-- refunded charges stay, in a small partition in its place. Returns its name; null if there is none.
CREATE OR REPLACE FUNCTION ledger_retire_partition(p_archive boolean) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '100ms' SET enable_seqscan = off
AS $$
DECLARE
  v_before timestamptz;
  v_name text;
  v_bound text;
  v_first uuid;
  v_end uuid;
  v_kept uuid[];
  v_is_early boolean;
  v_has_others boolean;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('farebox partitions')) THEN RETURN NULL; END IF;
  SELECT purged_before INTO STRICT v_before FROM usage_retention WHERE id = 1;
  FOR v_name, v_bound, v_first, v_end IN
    SELECT p.name, pg_get_expr(c.relpartbound, c.oid),
           coalesce(ledger_first_id_of(p.first_at), '00000000-0000-0000-0000-000000000000'), ledger_first_id_of(p.end_at)
    FROM ledger_partitions() p
    JOIN pg_class c ON c.relname = p.name AND c.relnamespace = 'farebox_partition'::regnamespace
    WHERE p.of_table = 'usage_record' AND p.end_at <= v_before ORDER BY p.end_at
  LOOP
    -- Nobody writes to it meanwhile, but reads continue. A charge may have been recorded later than the time in its
    -- id.
    EXECUTE format('LOCK TABLE ONLY farebox_partition.%I IN SHARE MODE', v_name);
    EXECUTE format('SELECT EXISTS (SELECT FROM farebox_partition.%I WHERE created_at >= $1)', v_name)
    INTO v_is_early USING v_before;
    CONTINUE WHEN v_is_early;
    v_kept := ledger_records_given_back(v_name, v_first, v_end);
    EXECUTE format('SELECT EXISTS (SELECT FROM farebox_partition.%I WHERE id <> ALL ($1))', v_name)
    INTO v_has_others USING v_kept;
    CONTINUE WHEN cardinality(v_kept) > 0 AND NOT v_has_others;
    IF cardinality(v_kept) > 0 THEN
      PERFORM ledger_create_partition_table('usage_record', v_name || '_kept');
      EXECUTE format('INSERT INTO farebox_partition.%I SELECT * FROM farebox_partition.%I WHERE id = ANY ($1)',
                     v_name || '_kept', v_name) USING v_kept;
    END IF;

    -- From here on nobody reads. The second check sees a refund that locked its record before.
    LOCK TABLE ONLY usage_record IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('LOCK TABLE ONLY farebox_partition.%I IN ACCESS EXCLUSIVE MODE', v_name);
    IF ledger_records_given_back(v_name, v_first, v_end) <> v_kept THEN
      RAISE EXCEPTION 'a charge of % was given back meanwhile', v_name USING ERRCODE = 'lock_not_available';
    END IF;
    EXECUTE format('ALTER TABLE usage_record DETACH PARTITION farebox_partition.%I', v_name);
    IF p_archive AND v_has_others THEN
      EXECUTE format('ALTER TABLE farebox_partition.%I SET SCHEMA farebox_archive', v_name);
    ELSE
      EXECUTE format('DROP TABLE farebox_partition.%I', v_name);
    END IF;
    IF cardinality(v_kept) > 0 THEN
      EXECUTE format('ALTER TABLE farebox_partition.%I RENAME TO %I', v_name || '_kept', v_name);
      EXECUTE format('ALTER TABLE usage_record ATTACH PARTITION farebox_partition.%I %s', v_name, v_bound);
    END IF;
    RETURN v_name;
  END LOOP;
  RETURN NULL;
END $$;

-- The records in this partition of usage_record whose charges were refunded, in the order of their ids.
CREATE OR REPLACE FUNCTION ledger_records_given_back(p_name text, p_first uuid, p_end uuid) RETURNS uuid[] LANGUAGE plpgsql
AS $$
DECLARE
  v_ids uuid[];
BEGIN
  EXECUTE format('SELECT coalesce(array_agg(u.id ORDER BY u.id), ''{}'') '
                 'FROM ledger_entry e JOIN farebox_partition.%I u ON u.id = e.refunded_entry_id '
                 'WHERE e.refunded_entry_id >= $1 AND e.refunded_entry_id < $2', p_name) INTO v_ids USING p_first, p_end;
  RETURN v_ids;
END $$;

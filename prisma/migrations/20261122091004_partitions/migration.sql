-- The tables that are there become the first partitions of new ones with their names, columns, rights and triggers. Nothing
-- is read: the bound is proven. Partitions have a schema of their own, that nobody but the owner has a right to.
CREATE SCHEMA farebox_partition;
-- Of request records that have had their time, if the operator wants them detached.
CREATE SCHEMA farebox_archive;

CREATE FUNCTION farebox_partition.convert(p_table text, p_unique text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_old regclass := p_table::regclass;
  v_bound uuid := (SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f-]{36}')
                   FROM pg_constraint WHERE conrelid = v_old AND conname = p_table || '_bound');
  v_index text[] := ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                          WHERE i.indrelid = v_old AND NOT i.indisprimary AND c.relname <> ALL (p_unique));
  v_grant text[] := ARRAY(SELECT format('GRANT %s ON public.%I TO %s', a.privilege_type, p_table,
                                        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
                          FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = v_old AND a.grantee <> c.relowner)
                 || ARRAY(SELECT format('GRANT %s (%I) ON public.%I TO %s', a.privilege_type, t.attname, p_table,
                                        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
                          FROM pg_attribute t, aclexplode(t.attacl) a WHERE t.attrelid = v_old AND NOT t.attisdropped);
  v_function text[] := ARRAY(SELECT pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.prorettype = (
                               SELECT reltype FROM pg_class WHERE oid = v_old));
  -- Functions that answer with rows of the table are made again: their rows are to be those of the new one.
  v_again text[] := ARRAY(SELECT format('DROP FUNCTION %s', p.oid::regprocedure) FROM pg_proc p WHERE p.prorettype = (
                            SELECT reltype FROM pg_class WHERE oid = v_old));
  v_callers text[] := ARRAY(SELECT format('GRANT EXECUTE ON FUNCTION %s TO %s', p.oid::regprocedure,
                                          CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
                            FROM pg_proc p, aclexplode(p.proacl) a
                            WHERE p.prorettype = (SELECT reltype FROM pg_class WHERE oid = v_old)
                              AND a.grantee <> p.proowner);
  v_trigger record;
  v_first text := p_table || '_first';
  v_do text;
BEGIN
  FOREACH v_do IN ARRAY v_again LOOP EXECUTE v_do; END LOOP;
  EXECUTE format('ALTER TABLE public.%I SET SCHEMA farebox_partition', p_table);
  EXECUTE format('ALTER TABLE farebox_partition.%I RENAME TO %I', p_table, v_first);
  FOREACH v_do IN ARRAY p_unique LOOP EXECUTE format('DROP INDEX farebox_partition.%I', v_do); END LOOP;
  EXECUTE format('CREATE TABLE public.%I (LIKE farebox_partition.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS '
                 'INCLUDING STORAGE) PARTITION BY RANGE (id)', p_table, v_first);
  EXECUTE format('ALTER TABLE public.%I DROP CONSTRAINT %I, ADD CONSTRAINT %I PRIMARY KEY (id)', p_table,
                 p_table || '_bound', p_table || '_pkey');
  FOREACH v_do IN ARRAY v_index LOOP EXECUTE v_do; END LOOP;
  FOREACH v_do IN ARRAY v_grant LOOP EXECUTE v_do; END LOOP;
  FOR v_trigger IN SELECT tgname, (tgtype & 1) = 1 AS for_each_row, pg_get_triggerdef(oid) AS definition
                   FROM pg_trigger WHERE tgrelid = v_old AND NOT tgisinternal LOOP
    -- A partition has those for each row from its table. Those for each statement are of the table that it names: both.
    IF v_trigger.for_each_row THEN
      EXECUTE format('DROP TRIGGER %I ON farebox_partition.%I', v_trigger.tgname, v_first);
    END IF;
    EXECUTE replace(v_trigger.definition, format(' ON farebox_partition.%I ', v_first), format(' ON public.%I ', p_table));
  END LOOP;
  EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION farebox_partition.%I FOR VALUES FROM (MINVALUE) TO (%L)',
                 p_table, v_first, v_bound);
  EXECUTE format('ALTER TABLE farebox_partition.%I DROP CONSTRAINT %I', v_first, p_table || '_bound');
  FOREACH v_do IN ARRAY v_grant LOOP
    v_do := replace(replace(v_do, 'GRANT', 'REVOKE'), format(' ON public.%I TO ', p_table),
                    format(' ON farebox_partition.%I FROM ', v_first));
    EXECUTE v_do;
  END LOOP;
  -- For what the months that are made ahead do not reach: a worker that stood still, a clock that is far ahead.
  EXECUTE format('CREATE TABLE farebox_partition.%I PARTITION OF public.%I DEFAULT', p_table || '_beyond', p_table);
  FOREACH v_do IN ARRAY v_function LOOP EXECUTE v_do; END LOOP;
  FOREACH v_do IN ARRAY v_callers LOOP EXECUTE v_do; END LOOP;
  FOREACH v_do IN ARRAY v_again LOOP
    EXECUTE replace(v_do, 'DROP FUNCTION', 'REVOKE ALL ON FUNCTION') || ' FROM PUBLIC';
  END LOOP;
END $$;

SELECT farebox_partition.convert('ledger_entry', '{ledger_entry_account_id_seq_key,ledger_entry_refunded_entry_id_key}');
SELECT farebox_partition.convert('usage_record', '{}');
DROP FUNCTION farebox_partition.convert;

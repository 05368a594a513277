-- Work to do after a commit: written in the transaction that it belongs to, and handed to the job queue from
-- here.

-- Takes rows out of the outbox, oldest first and only for the named jobs: those of a newer version wait for
-- its worker. Skips the ids that the caller cannot read, and rows that another worker is taking. The rows are
-- deleted with the caller's commit, and remain if it rolls back.
CREATE OR REPLACE FUNCTION outbox_take(p_jobs text[], p_pass_over uuid[], p_limit int)
RETURNS TABLE (id uuid, job text, payload jsonb) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
  WITH chosen AS MATERIALIZED (
    SELECT o.id FROM outbox o WHERE o.job = ANY (p_jobs) AND o.id <> ALL (p_pass_over)
    ORDER BY o.id LIMIT p_limit FOR UPDATE SKIP LOCKED
  ), taken AS (
    DELETE FROM outbox o USING chosen WHERE o.id = chosen.id RETURNING o.id, o.job, o.payload
  )
  SELECT taken.id, taken.job, taken.payload FROM taken ORDER BY taken.id;
END $$;

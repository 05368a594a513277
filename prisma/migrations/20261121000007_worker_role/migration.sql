-- The role of the worker: what every service may do, and the work that goes on behind them. A gateway has none of it:
-- whoever takes one over sweeps no hold, deletes no answer and resolves no review.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'farebox_worker') THEN
    CREATE ROLE farebox_worker NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
GRANT farebox_app TO farebox_worker;

DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN
    SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'public' AND p.proname IN (
      'ledger_sweep', 'ledger_forget_gateways', 'ledger_forget_answers', 'ledger_sum_usage', 'sign_in_forget',
      'invoice_issue'
    )
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM farebox_app', v_function);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO farebox_worker', v_function);
  END LOOP;
END $$;

-- What an operator's policy lets the worker resolve, and the check of the books that it makes each hour.
GRANT EXECUTE ON FUNCTION ledger_resolve_review TO farebox_worker;
GRANT EXECUTE ON FUNCTION ledger_take_checkpoint TO farebox_worker;
GRANT SELECT ON reversal, invoice, invoice_line, invoice_year TO farebox_worker;

-- Funds name their account's newest entry, and the one that was it before: the chain of entries is checked by ids, each of
-- which is in one partition. Empty for accounts from before, until their next entry.
ALTER TABLE "account_funds" ADD COLUMN "last_entry_id" UUID;
ALTER TABLE "account_funds" ADD COLUMN "entry_before_id" UUID;

CREATE FUNCTION refuse_other_entry_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the funds of account % do not continue its ledger', NEW.account_id
    USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- Conditions alone, so that nothing is called for funds that are right. After the change, which then locks nothing anew.
CREATE TRIGGER account_funds_name_entries AFTER UPDATE ON account_funds FOR EACH ROW
  WHEN ((NEW.last_entry_id, NEW.entry_before_id) IS DISTINCT FROM (OLD.last_entry_id, OLD.entry_before_id)
        AND NEW.entry_before_id IS DISTINCT FROM OLD.last_entry_id)
  EXECUTE FUNCTION refuse_other_entry_before();
CREATE TRIGGER account_funds_name_none_at_first AFTER INSERT ON account_funds FOR EACH ROW
  WHEN (NEW.last_entry_id IS NOT NULL OR NEW.entry_before_id IS NOT NULL)
  EXECUTE FUNCTION refuse_other_entry_before();

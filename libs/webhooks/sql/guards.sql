-- An endpoint of the operators gets the events of all accounts: the account service can neither make one nor lead one
-- elsewhere. The owner includes the functions that the worker calls.
CREATE OR REPLACE FUNCTION refuse_other_than_operators() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (pg_has_role(current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = TG_RELID), 'MEMBER')
          OR pg_has_role(current_user, 'farebox_operator', 'MEMBER')) THEN
    RAISE EXCEPTION 'only operators may change an endpoint of theirs' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE OR REPLACE TRIGGER webhook_endpoint_of_operators BEFORE INSERT ON webhook_endpoint FOR EACH ROW
  WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION refuse_other_than_operators();
CREATE OR REPLACE TRIGGER webhook_endpoint_stays_of_operators BEFORE UPDATE OR DELETE ON webhook_endpoint FOR EACH ROW
  WHEN (OLD.account_id IS NULL) EXECUTE FUNCTION refuse_other_than_operators();

-- Not by a foreign key: see webhook_delivery. Those that are written at the same time are found by no claim, and purged.
CREATE OR REPLACE FUNCTION drop_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM webhook_delivery WHERE endpoint_id = OLD.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER webhook_endpoint_deleted AFTER DELETE ON webhook_endpoint FOR EACH ROW
  EXECUTE FUNCTION drop_webhook_deliveries();

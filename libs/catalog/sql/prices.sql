-- Charged prices are immutable; a new price is a new row.
CREATE OR REPLACE TRIGGER price_version_append_only BEFORE UPDATE OR DELETE ON price_version
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER price_version_no_truncate BEFORE TRUNCATE ON price_version
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

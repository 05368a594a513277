-- What operators did, and who made, changed and ended credentials, is appended to, by its owner too.
CREATE OR REPLACE TRIGGER operator_action_append_only BEFORE UPDATE OR DELETE ON operator_action
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER operator_action_no_truncate BEFORE TRUNCATE ON operator_action
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credential_event_append_only BEFORE UPDATE OR DELETE ON credential_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credential_event_no_truncate BEFORE TRUNCATE ON credential_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

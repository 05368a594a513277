-- Mails the owner of an account about new credentials, in the transaction that creates them: a sign-in by a
-- new browser, a new API key, a new device. Credentials made by an operator are not mailed. At most five
-- mails of each kind per hour, so that a script that creates keys neither floods a mailbox nor hides a
-- sign-in.
CREATE OR REPLACE FUNCTION post_credential_mail() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_kind mail_kind := CASE NEW.credential
    WHEN 'session' THEN 'new_browser' WHEN 'api_key' THEN 'new_api_key' ELSE 'new_device' END;
  v_id uuid := ledger_new_id();
  v_fifth_newest timestamptz;
BEGIN
  SELECT created_at INTO v_fifth_newest FROM mail
  WHERE account_id = NEW.account_id AND kind = v_kind ORDER BY id DESC OFFSET 4 LIMIT 1;
  IF v_fifth_newest > now() - interval '1 hour' THEN
    RETURN NULL;
  END IF;
  INSERT INTO mail (id, kind, account_id, credential_event_id) VALUES (v_id, v_kind, NEW.account_id, NEW.id);
  INSERT INTO outbox (id, job, payload) VALUES (v_id, 'send-mail', jsonb_build_object('mailId', v_id));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER credential_event_mailed AFTER INSERT ON credential_event FOR EACH ROW
  WHEN (NEW.action = 'create' AND NEW.actor_kind IN ('session', 'device')
        AND (NEW.credential IN ('api_key', 'device') OR NEW.is_new_browser))
  EXECUTE FUNCTION post_credential_mail();

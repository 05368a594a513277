-- What such a mail is about. An event may be deleted before its mail: it is no foreign key.
ALTER TABLE mail
  ADD COLUMN credential_event_id uuid,
  ADD CONSTRAINT mail_names_its_event
    CHECK ((credential_event_id IS NOT NULL) = (kind IN ('new_browser', 'new_api_key', 'new_device'))) NOT VALID;

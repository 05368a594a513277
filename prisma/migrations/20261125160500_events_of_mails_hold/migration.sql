ALTER TABLE mail VALIDATE CONSTRAINT mail_names_its_event;

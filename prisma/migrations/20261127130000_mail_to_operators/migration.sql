-- A sign-in link that somebody asked for at the operator service.
ALTER TABLE mail ADD COLUMN for_operator boolean NOT NULL DEFAULT false;

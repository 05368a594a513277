ALTER TABLE uncharged_request ADD COLUMN error_message text, ADD COLUMN error_param text;

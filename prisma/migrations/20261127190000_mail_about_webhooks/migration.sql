ALTER TYPE mail_kind ADD VALUE 'webhook_disabled' AFTER 'top_up_off';
-- For a mail about a webhook. No foreign key: its owner may delete it before.
ALTER TABLE mail ADD COLUMN webhook_endpoint_id uuid;

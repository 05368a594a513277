-- The owner of an account is mailed about what opens it: a sign-in by a new browser, a new API key, a new device.
ALTER TYPE mail_kind ADD VALUE 'new_browser' AFTER 'low_balance';
ALTER TYPE mail_kind ADD VALUE 'new_api_key' AFTER 'new_browser';
ALTER TYPE mail_kind ADD VALUE 'new_device' AFTER 'new_api_key';

-- Events of Stripe's that were delivered here, until the worker has asked Stripe for them.
CREATE TABLE payment_notice (
    event_id text NOT NULL,
    received_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT payment_notice_pkey PRIMARY KEY (event_id),
    CONSTRAINT payment_notice_names_event CHECK (event_id ~ '^evt_[A-Za-z0-9_]{1,250}$')
);
CREATE INDEX payment_notice_due_at_idx ON payment_notice (due_at);

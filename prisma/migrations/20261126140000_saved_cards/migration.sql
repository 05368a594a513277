CREATE TYPE top_up_off_reason AS ENUM ('customer', 'failures', 'card', 'dispute');
CREATE TYPE top_up_attempt_state AS ENUM ('created', 'requested', 'unknown', 'succeeded', 'failed');

-- A page of Stripe's on which a customer enters a card to save.
CREATE TABLE card_setup (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    stripe_session_id text,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    saved_at timestamptz(6),
    CONSTRAINT card_setup_pkey PRIMARY KEY (id),
    CONSTRAINT card_setup_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX card_setup_stripe_session_id_key ON card_setup (stripe_session_id);
CREATE INDEX card_setup_account_id_id_idx ON card_setup (account_id, id);

CREATE TABLE saved_card (
    account_id uuid NOT NULL,
    stripe_customer_id text NOT NULL,
    stripe_payment_method_id text NOT NULL,
    brand text NOT NULL,
    last_four text NOT NULL,
    expiry_month integer NOT NULL,
    expiry_year integer NOT NULL,
    saved_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT saved_card_pkey PRIMARY KEY (account_id),
    CONSTRAINT saved_card_no_number CHECK (last_four ~ '^[0-9]{4}$' AND brand ~ '^[a-z_]{1,40}$'),
    CONSTRAINT saved_card_expiry CHECK (expiry_month BETWEEN 1 AND 12 AND expiry_year BETWEEN 2000 AND 9999),
    CONSTRAINT saved_card_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX saved_card_stripe_payment_method_id_key ON saved_card (stripe_payment_method_id);
CREATE INDEX saved_card_stripe_customer_id_idx ON saved_card (stripe_customer_id);

-- Cards that Stripe still has to forget.
CREATE TABLE card_removal (
    stripe_payment_method_id text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT card_removal_pkey PRIMARY KEY (stripe_payment_method_id)
);
CREATE INDEX card_removal_due_at_idx ON card_removal (due_at);

CREATE TABLE auto_top_up (
    account_id uuid NOT NULL,
    is_on boolean NOT NULL,
    threshold_nano bigint NOT NULL,
    amount_nano bigint NOT NULL,
    monthly_ceiling_nano bigint NOT NULL,
    consent_text text NOT NULL,
    consented_at timestamptz(6) NOT NULL,
    off_reason top_up_off_reason,
    off_at timestamptz(6),
    next_attempt_at timestamptz(6) NOT NULL,
    CONSTRAINT auto_top_up_pkey PRIMARY KEY (account_id),
    CONSTRAINT auto_top_up_amounts CHECK (
      threshold_nano > 0 AND amount_nano > 0 AND amount_nano % 10000000 = 0 AND monthly_ceiling_nano >= amount_nano
    ),
    CONSTRAINT auto_top_up_off_has_reason CHECK (is_on = (off_reason IS NULL) AND is_on = (off_at IS NULL)),
    CONSTRAINT auto_top_up_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX auto_top_up_on_idx ON auto_top_up (next_attempt_at) WHERE is_on;

CREATE TABLE top_up_attempt (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    month date NOT NULL,
    amount_nano bigint NOT NULL,
    state top_up_attempt_state NOT NULL DEFAULT 'created',
    stripe_customer_id text NOT NULL,
    stripe_payment_method_id text NOT NULL,
    stripe_payment_intent_id text,
    failure text,
    is_declined boolean NOT NULL DEFAULT false,
    created_at timestamptz(6) NOT NULL,
    requested_at timestamptz(6),
    ended_at timestamptz(6),
    due_at timestamptz(6) NOT NULL,
    CONSTRAINT top_up_attempt_pkey PRIMARY KEY (id),
    CONSTRAINT top_up_attempt_end CHECK ((state IN ('succeeded', 'failed')) = (ended_at IS NOT NULL)),
    CONSTRAINT top_up_attempt_failure CHECK ((state = 'failed') = (failure IS NOT NULL)),
    CONSTRAINT top_up_attempt_id_fkey
      FOREIGN KEY (id) REFERENCES checkout(id) ON UPDATE CASCADE ON DELETE RESTRICT,
    CONSTRAINT top_up_attempt_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX top_up_attempt_stripe_payment_intent_id_key ON top_up_attempt (stripe_payment_intent_id);
CREATE INDEX top_up_attempt_account_id_month_idx ON top_up_attempt (account_id, month);
CREATE INDEX top_up_attempt_account_id_id_idx ON top_up_attempt (account_id, id);
-- Never two at once.
CREATE UNIQUE INDEX top_up_attempt_open_idx ON top_up_attempt (account_id) WHERE ended_at IS NULL;
CREATE INDEX top_up_attempt_due_idx ON top_up_attempt (due_at) WHERE ended_at IS NULL;

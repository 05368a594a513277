-- The schema: types, tables, constraints, indexes, and the rows that it begins with. Functions, triggers and rights stand in
-- libs/*/sql and are installed after this.

CREATE TYPE actor_kind AS ENUM ('session', 'device', 'operator', 'system');
CREATE TYPE checkout_status AS ENUM ('open', 'awaiting', 'paid', 'ended');
CREATE TYPE claim_state AS ENUM ('in_flight', 'answered', 'withheld');
CREATE TYPE credential_action AS ENUM ('create', 'change', 'rotate', 'revoke');
CREATE TYPE credential_kind AS ENUM ('api_key', 'device', 'session');
CREATE TYPE invite_status AS ENUM ('none', 'invited', 'active', 'suspended');
CREATE TYPE invoice_line_kind AS ENUM ('usage', 'refund');
CREATE TYPE ledger_book AS ENUM ('customer', 'funding', 'revenue', 'adjustments');
CREATE TYPE ledger_check_pass AS ENUM ('recent', 'whole');
CREATE TYPE ledger_entry_kind AS ENUM ('top_up', 'charge', 'refund', 'adjustment');
CREATE TYPE mail_kind AS ENUM ('sign_in', 'invite', 'low_balance');
CREATE TYPE mail_outcome AS ENUM ('sent', 'shown', 'refused', 'expired', 'not_wanted', 'no_mail_server');
CREATE TYPE max_tokens_field AS ENUM ('max_tokens', 'max_completion_tokens');
CREATE TYPE model_policy_mode AS ENUM ('allow', 'block');
CREATE TYPE model_visibility AS ENUM ('public', 'cohorts', 'disabled');
CREATE TYPE operator_action_outcome AS ENUM ('done', 'attempted', 'failed');
CREATE TYPE review_reason AS ENUM ('gateway_lost', 'usage_over_hold', 'charge_failed', 'usage_implausible');
CREATE TYPE review_state AS ENUM ('open', 'charged', 'waived');
CREATE TYPE sign_in_link_purpose AS ENUM ('invite', 'sign_in');
CREATE TYPE usage_grain AS ENUM ('hour', 'hour_key', 'hour_model', 'day', 'day_key', 'day_model', 'day_key_model');
CREATE TYPE usage_outcome AS ENUM ('completed', 'client_gone', 'upstream_failed', 'upstream_timeout', 'shutdown');


-- Accounts, keys, sessions and devices

CREATE TABLE cohort (
    name text NOT NULL,
    daily_request_cap integer NOT NULL,
    daily_spend_cap_nano bigint NOT NULL,
    CONSTRAINT cohort_pkey PRIMARY KEY (name)
);

CREATE TABLE account (
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    invite_status invite_status NOT NULL DEFAULT 'none',
    cohort_name text NOT NULL DEFAULT 'beta',
    daily_request_cap integer,
    daily_spend_cap_nano bigint,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    low_balance_mailed_at timestamptz(6),
    low_balance_mailed_nano bigint,
    low_balance_nano bigint,
    CONSTRAINT account_pkey PRIMARY KEY (id),
    CONSTRAINT account_low_balance_is_positive CHECK (low_balance_nano > 0),
    CONSTRAINT account_low_balance_is_marked_whole
      CHECK ((low_balance_mailed_at IS NULL) = (low_balance_mailed_nano IS NULL)),
    CONSTRAINT account_low_balance_is_marked_where_set
      CHECK (low_balance_nano IS NOT NULL OR low_balance_mailed_at IS NULL),
    CONSTRAINT account_cohort_name_fkey
      FOREIGN KEY (cohort_name) REFERENCES cohort(name) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX account_email_key ON account (email);
CREATE INDEX account_low_balance_nano_idx ON account (low_balance_nano);

CREATE TABLE api_key (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    secret_hmac bytea NOT NULL,
    pepper_version smallint NOT NULL,
    hint text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    monthly_spend_limit_nano bigint,
    expires_at timestamptz(6),
    model_policy_mode model_policy_mode,
    model_policy_models text[],
    secret_issued_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    revoked_at timestamptz(6),
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    lifetime_starts_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT api_key_pkey PRIMARY KEY (id),
    CONSTRAINT api_key_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX api_key_account_id_id_idx ON api_key (account_id, id);
CREATE UNIQUE INDEX api_key_secret_hmac_key ON api_key (secret_hmac);

CREATE TABLE device (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    platform text NOT NULL,
    last_seen_at timestamptz(6),
    revoked_at timestamptz(6),
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT device_pkey PRIMARY KEY (id),
    CONSTRAINT device_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX device_account_id_id_key ON device (account_id, id);

CREATE TABLE account_session (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    idle_expires_at timestamptz(6) NOT NULL,
    expires_at timestamptz(6) NOT NULL,
    last_seen_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    revoked_at timestamptz(6),
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    device_id uuid,
    user_agent text,
    CONSTRAINT account_session_pkey PRIMARY KEY (id),
    CONSTRAINT account_session_user_agent_is_short CHECK (char_length(user_agent) <= 200),
    CONSTRAINT account_session_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT,
    -- Both columns: a session is never bound to a device of another account.
    CONSTRAINT account_session_account_id_device_id_fkey
      FOREIGN KEY (account_id, device_id) REFERENCES device(account_id, id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX account_session_account_id_device_id_key ON account_session (account_id, device_id);
CREATE INDEX account_session_account_id_id_idx ON account_session (account_id, id);
CREATE UNIQUE INDEX account_session_token_sha256_key ON account_session (token_sha256);

CREATE TABLE sign_in_link (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    purpose sign_in_link_purpose NOT NULL,
    token_sha256 bytea NOT NULL,
    expires_at timestamptz(6) NOT NULL,
    used_at timestamptz(6),
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT sign_in_link_pkey PRIMARY KEY (id),
    CONSTRAINT sign_in_link_token_is_a_hash CHECK (octet_length(token_sha256) = 32),
    CONSTRAINT sign_in_link_ends_after_its_start CHECK (expires_at > created_at),
    CONSTRAINT sign_in_link_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX sign_in_link_account_id_id_idx ON sign_in_link (account_id, id);
CREATE INDEX sign_in_link_expires_at_idx ON sign_in_link (expires_at);
CREATE UNIQUE INDEX sign_in_link_token_sha256_key ON sign_in_link (token_sha256);

CREATE TABLE sign_in_throttle (
    subject_sha256 bytea NOT NULL,
    recovered_at timestamptz(6) NOT NULL,
    CONSTRAINT sign_in_throttle_pkey PRIMARY KEY (subject_sha256),
    CONSTRAINT sign_in_throttle_subject_is_a_hash CHECK (octet_length(subject_sha256) = 32)
);

-- No row names nobody or nothing, and none can be used to fill the disk.
CREATE TABLE operator_action (
    id uuid NOT NULL,
    at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
    operator text NOT NULL,
    action text NOT NULL,
    target text,
    outcome operator_action_outcome NOT NULL,
    details jsonb NOT NULL,
    CONSTRAINT operator_action_pkey PRIMARY KEY (id),
    CONSTRAINT operator_action_operator_is_named CHECK (char_length(operator) BETWEEN 1 AND 200),
    CONSTRAINT operator_action_action_is_named
      CHECK (action ~ '^[a-z]+(-[a-z]+)*( [a-z]+(-[a-z]+)*){0,3}$' AND char_length(action) <= 60),
    CONSTRAINT operator_action_target_is_short CHECK (char_length(target) BETWEEN 1 AND 200),
    CONSTRAINT operator_action_details_are_short
      CHECK (jsonb_typeof(details) = 'object' AND octet_length(details::text) <= 8000)
);
CREATE INDEX operator_action_at_idx ON operator_action (at);
CREATE INDEX operator_action_target_id_idx ON operator_action (target, id);

-- Who made, changed and ended the API keys, devices and sessions of an account. Written in the statement that does it. A
-- session is deleted a while after its end, and what is written of it stays: its id is no foreign key.
CREATE TABLE credential_event (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
    account_id uuid NOT NULL,
    credential credential_kind NOT NULL,
    credential_id uuid NOT NULL,
    action credential_action NOT NULL,
    actor_kind actor_kind NOT NULL,
    actor text NOT NULL,
    CONSTRAINT credential_event_pkey PRIMARY KEY (id),
    CONSTRAINT credential_event_actor_is_named CHECK (char_length(actor) BETWEEN 1 AND 200)
);
CREATE INDEX credential_event_account_id_at_idx ON credential_event (account_id, at);


-- The catalogue

CREATE TABLE upstream (
    id text NOT NULL,
    base_url text NOT NULL,
    api_key_env text,
    max_tokens_field max_tokens_field NOT NULL DEFAULT 'max_tokens',
    connect_timeout_ms integer NOT NULL,
    first_byte_timeout_ms integer NOT NULL,
    idle_timeout_ms integer NOT NULL,
    total_timeout_ms integer NOT NULL,
    CONSTRAINT upstream_pkey PRIMARY KEY (id)
);

CREATE TABLE model (
    id text NOT NULL,
    owned_by text NOT NULL,
    context_window integer NOT NULL,
    max_output_tokens integer NOT NULL,
    default_max_output_tokens integer,
    tokenizer text,
    modalities text[],
    image_tokens integer,
    visibility model_visibility NOT NULL,
    cohorts text[],
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    prompt_overhead integer NOT NULL DEFAULT 256,
    message_overhead integer NOT NULL DEFAULT 16,
    tools_overhead integer NOT NULL DEFAULT 256,
    CONSTRAINT model_pkey PRIMARY KEY (id)
);

CREATE TABLE model_route (
    model_id text NOT NULL,
    position smallint NOT NULL,
    upstream_id text NOT NULL,
    upstream_model text NOT NULL,
    CONSTRAINT model_route_pkey PRIMARY KEY (model_id, position),
    CONSTRAINT model_route_model_id_fkey FOREIGN KEY (model_id) REFERENCES model(id) ON UPDATE CASCADE ON DELETE RESTRICT,
    CONSTRAINT model_route_upstream_id_fkey
      FOREIGN KEY (upstream_id) REFERENCES upstream(id) ON UPDATE CASCADE ON DELETE RESTRICT
);

CREATE TABLE price_version (
    id uuid NOT NULL,
    model_id text NOT NULL,
    input_price_pico bigint NOT NULL,
    output_price_pico bigint NOT NULL,
    starts_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT price_version_pkey PRIMARY KEY (id),
    CONSTRAINT price_version_not_negative CHECK (input_price_pico >= 0 AND output_price_pico >= 0),
    CONSTRAINT price_version_model_id_fkey
      FOREIGN KEY (model_id) REFERENCES model(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX price_version_model_id_starts_at_key ON price_version (model_id, starts_at);

CREATE TABLE catalog_state (
    id smallint NOT NULL DEFAULT 1,
    version integer NOT NULL DEFAULT 0,
    applied_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT catalog_state_pkey PRIMARY KEY (id),
    CONSTRAINT catalog_state_one_row CHECK (id = 1)
);


-- The ledger: funds, holds and entries

-- A row that every request rewrites: room on its page, so that the update stays there and off the indexes.
CREATE TABLE account_funds (
    account_id uuid NOT NULL,
    balance_nano bigint NOT NULL DEFAULT 0,
    held_nano bigint NOT NULL DEFAULT 0,
    last_seq bigint NOT NULL DEFAULT 0,
    recorded_at timestamptz(6),
    last_entry_id uuid,
    entry_before_id uuid,
    CONSTRAINT account_funds_pkey PRIMARY KEY (account_id),
    CONSTRAINT account_funds_held_not_negative CHECK (held_nano >= 0),
    CONSTRAINT account_funds_available_not_negative CHECK (balance_nano >= held_nano),
    CONSTRAINT account_funds_last_seq_not_negative CHECK (last_seq >= 0),
    CONSTRAINT account_funds_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE account_day (
    account_id uuid NOT NULL,
    day date NOT NULL,
    requests integer NOT NULL DEFAULT 0,
    spent_nano bigint NOT NULL DEFAULT 0,
    held_nano bigint NOT NULL DEFAULT 0,
    CONSTRAINT account_day_pkey PRIMARY KEY (account_id, day),
    CONSTRAINT account_day_counts_not_negative CHECK (requests >= 0 AND spent_nano >= 0 AND held_nano >= 0)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE api_key_month (
    api_key_id uuid NOT NULL,
    month date NOT NULL,
    spent_nano bigint NOT NULL DEFAULT 0,
    held_nano bigint NOT NULL DEFAULT 0,
    last_used_at timestamptz(6),
    CONSTRAINT api_key_month_pkey PRIMARY KEY (api_key_id, month),
    CONSTRAINT api_key_month_counts_not_negative CHECK (spent_nano >= 0 AND held_nano >= 0),
    CONSTRAINT api_key_month_api_key_id_fkey
      FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON UPDATE CASCADE ON DELETE RESTRICT
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE gateway_instance (
    id uuid NOT NULL,
    started_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    lease_expires_at timestamptz(6) NOT NULL,
    CONSTRAINT gateway_instance_pkey PRIMARY KEY (id)
);
CREATE INDEX gateway_instance_lease_expires_at_idx ON gateway_instance (lease_expires_at);

-- Rows that live for one request.
CREATE TABLE hold (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    gateway_instance_id uuid NOT NULL,
    amount_nano bigint NOT NULL,
    model_id text NOT NULL,
    price_version_id uuid NOT NULL,
    request_id text NOT NULL,
    day date NOT NULL,
    created_at timestamptz(6) NOT NULL,
    idempotency_key text,
    CONSTRAINT hold_pkey PRIMARY KEY (id),
    CONSTRAINT hold_amount_not_negative CHECK (amount_nano >= 0)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);

-- Partitioned by month: see the end.
CREATE TABLE ledger_entry (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    seq bigint NOT NULL,
    kind ledger_entry_kind NOT NULL,
    from_book ledger_book NOT NULL,
    to_book ledger_book NOT NULL,
    amount_nano bigint NOT NULL,
    balance_after_nano bigint NOT NULL,
    refunded_entry_id uuid,
    created_at timestamptz(6) NOT NULL,
    CONSTRAINT ledger_entry_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_entry_amount_positive CHECK (amount_nano > 0),
    CONSTRAINT ledger_entry_balance_not_negative CHECK (balance_after_nano >= 0),
    CONSTRAINT ledger_entry_books_fit_kind CHECK (
      CASE kind
        WHEN 'top_up' THEN from_book = 'funding' AND to_book = 'customer'
        WHEN 'charge' THEN from_book = 'customer' AND to_book = 'revenue'
        WHEN 'refund' THEN from_book = 'revenue' AND to_book = 'customer'
        WHEN 'adjustment' THEN (from_book, to_book) IN (('customer', 'adjustments'), ('adjustments', 'customer'))
      END),
    CONSTRAINT ledger_entry_refund_names_its_charge CHECK ((kind = 'refund') = (refunded_entry_id IS NOT NULL)),
    CONSTRAINT ledger_entry_seq_positive CHECK (seq > 0)
) PARTITION BY RANGE (id);
-- Not unique: a partitioned table has no unique index without the column that it is partitioned by. See check_ledger_chain.
CREATE INDEX ledger_entry_account_id_seq_idx ON ledger_entry (account_id, seq);
CREATE INDEX ledger_entry_refunded_entry_id_idx ON ledger_entry (refunded_entry_id);
-- The transactions of an account by any type but the common one, and the refunds of a month, without reading its charges.
CREATE INDEX ledger_entry_uncommon_idx ON ledger_entry (account_id, kind, seq) WHERE kind <> 'charge';

CREATE TABLE funding (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    method text NOT NULL,
    reference text NOT NULL,
    amount_nano bigint NOT NULL,
    created_at timestamptz(6) NOT NULL,
    CONSTRAINT funding_pkey PRIMARY KEY (id),
    CONSTRAINT funding_amount_positive CHECK (amount_nano > 0),
    CONSTRAINT funding_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX funding_account_id_id_idx ON funding (account_id, id);
CREATE INDEX funding_created_at_idx ON funding (created_at);
CREATE UNIQUE INDEX funding_reference_key ON funding (reference);

CREATE TABLE reversal (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    amount_nano bigint NOT NULL,
    taken_nano bigint NOT NULL DEFAULT 0,
    reason text NOT NULL,
    reference text NOT NULL,
    made_by text NOT NULL,
    created_at timestamptz(6) NOT NULL,
    CONSTRAINT reversal_pkey PRIMARY KEY (id),
    CONSTRAINT reversal_amount_positive CHECK (amount_nano > 0),
    CONSTRAINT reversal_taken_within_amount CHECK (taken_nano >= 0 AND taken_nano <= amount_nano),
    CONSTRAINT reversal_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX reversal_account_id_id_idx ON reversal (account_id, id);
CREATE UNIQUE INDEX reversal_reference_key ON reversal (reference);

CREATE TABLE adjustment (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    amount_nano bigint NOT NULL,
    reason text NOT NULL,
    reference text NOT NULL,
    made_by text NOT NULL,
    created_at timestamptz(6) NOT NULL,
    reversal_id uuid,
    CONSTRAINT adjustment_pkey PRIMARY KEY (id),
    CONSTRAINT adjustment_amount_not_zero CHECK (amount_nano <> 0),
    CONSTRAINT adjustment_of_reversal_is_taken CHECK (reversal_id IS NULL OR amount_nano < 0),
    CONSTRAINT adjustment_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT,
    CONSTRAINT adjustment_reversal_id_fkey
      FOREIGN KEY (reversal_id) REFERENCES reversal(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX adjustment_account_id_id_idx ON adjustment (account_id, id);
CREATE UNIQUE INDEX adjustment_reference_key ON adjustment (reference);


-- The ledger: answers that are kept

CREATE TABLE idempotency_claim (
    api_key_id uuid NOT NULL,
    key text NOT NULL,
    account_id uuid NOT NULL,
    hold_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    state claim_state NOT NULL,
    -- It is encrypted: to compress it is work in vain.
    answer bytea STORAGE EXTERNAL,
    created_at timestamptz(6) NOT NULL,
    expires_at timestamptz(6),
    CONSTRAINT idempotency_claim_pkey PRIMARY KEY (api_key_id, key),
    CONSTRAINT idempotency_claim_answer_fits_state CHECK ((state = 'answered') = (answer IS NOT NULL))
);
CREATE INDEX idempotency_claim_expires_at_idx ON idempotency_claim (expires_at);

CREATE TABLE kept_answer (
    hold_id uuid NOT NULL,
    account_id uuid NOT NULL,
    parts integer NOT NULL,
    bytes bigint NOT NULL,
    expires_at timestamptz(6) NOT NULL,
    CONSTRAINT kept_answer_pkey PRIMARY KEY (hold_id)
);
CREATE INDEX kept_answer_expires_at_idx ON kept_answer (expires_at);

CREATE TABLE kept_answer_part (
    hold_id uuid NOT NULL,
    part integer NOT NULL,
    -- Encrypted, too.
    ciphertext bytea STORAGE EXTERNAL NOT NULL,
    CONSTRAINT kept_answer_part_pkey PRIMARY KEY (hold_id, part)
);

-- One row of an account is written over and over for an hour.
CREATE TABLE kept_answer_hour (
    account_id uuid NOT NULL,
    hour timestamptz(6) NOT NULL,
    bytes bigint NOT NULL,
    CONSTRAINT kept_answer_hour_pkey PRIMARY KEY (account_id, hour)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX kept_answer_hour_hour_idx ON kept_answer_hour (hour);


-- The ledger: usage

-- Partitioned by month: see the end.
CREATE TABLE usage_record (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    model_id text NOT NULL,
    price_version_id uuid NOT NULL,
    request_id text NOT NULL,
    prompt_tokens integer NOT NULL,
    completion_tokens integer NOT NULL,
    cost_nano bigint NOT NULL,
    outcome usage_outcome NOT NULL,
    streamed boolean NOT NULL,
    estimated boolean NOT NULL,
    day date NOT NULL,
    latency_ms integer NOT NULL,
    first_token_ms integer,
    created_at timestamptz(6) NOT NULL,
    CONSTRAINT usage_record_pkey PRIMARY KEY (id),
    CONSTRAINT usage_record_counts_not_negative CHECK (cost_nano >= 0 AND prompt_tokens >= 0 AND completion_tokens >= 0)
) PARTITION BY RANGE (id);
-- The order in which requests were charged. The list of one key or model is read from the index alone.
CREATE INDEX usage_record_account_id_created_at_id_idx ON usage_record (account_id, created_at, id)
  INCLUDE (api_key_id, model_id);
CREATE INDEX usage_record_created_at_idx ON usage_record USING brin (created_at);

CREATE TABLE usage_hour (
    account_id uuid NOT NULL,
    hour timestamptz(6) NOT NULL,
    api_key_id uuid NOT NULL,
    model_id text NOT NULL,
    requests integer NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cost_nano bigint NOT NULL,
    CONSTRAINT usage_hour_pkey PRIMARY KEY (account_id, hour, api_key_id, model_id),
    CONSTRAINT usage_hour_counts_not_negative
      CHECK (requests >= 0 AND prompt_tokens >= 0 AND completion_tokens >= 0 AND cost_nano >= 0)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE usage_sum (
    account_id uuid NOT NULL,
    grain usage_grain NOT NULL,
    api_key_id uuid NOT NULL,
    model_id text NOT NULL,
    starts_at timestamptz(6) NOT NULL,
    requests bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cost_nano bigint NOT NULL,
    -- What is read of a month was written hour by hour, each on another page: with the sums in it, the index is all that is
    -- read.
    CONSTRAINT usage_sum_pkey PRIMARY KEY (account_id, grain, api_key_id, model_id, starts_at)
      INCLUDE (requests, prompt_tokens, completion_tokens, cost_nano)
);

CREATE TABLE usage_sum_state (
    id smallint NOT NULL DEFAULT 1,
    summed_before timestamptz(6) NOT NULL,
    closing_before timestamptz(6) NOT NULL,
    closing_xid xid8 NOT NULL,
    CONSTRAINT usage_sum_state_pkey PRIMARY KEY (id),
    CONSTRAINT usage_sum_state_one_row CHECK (id = 1)
);

CREATE TABLE usage_retention (
    id smallint NOT NULL DEFAULT 1,
    forgotten_before timestamptz(6) NOT NULL,
    CONSTRAINT usage_retention_pkey PRIMARY KEY (id),
    CONSTRAINT usage_retention_one_row CHECK (id = 1),
    CONSTRAINT usage_retention_is_month CHECK (forgotten_before = date_trunc('month', forgotten_before, 'UTC'))
);


-- The ledger: reviews, and checks of the books

CREATE TABLE billing_review (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    request_id text NOT NULL,
    reason review_reason NOT NULL,
    state review_state NOT NULL DEFAULT 'open',
    held_nano bigint NOT NULL,
    measured_cost_nano bigint,
    created_at timestamptz(6) NOT NULL,
    completion_tokens integer,
    day date,
    estimated boolean,
    first_token_ms integer,
    idempotency_key text,
    latency_ms integer,
    model_id text,
    note text,
    outcome usage_outcome,
    price_version_id uuid,
    prompt_tokens integer,
    reserved_nano bigint NOT NULL DEFAULT 0,
    resolved_at timestamptz(6),
    resolved_by text,
    streamed boolean,
    last_at timestamptz(6),
    last_request_id text,
    request_count integer NOT NULL DEFAULT 1,
    CONSTRAINT billing_review_pkey PRIMARY KEY (id),
    CONSTRAINT billing_review_reserve_within_hold CHECK (reserved_nano >= 0 AND reserved_nano <= held_nano),
    CONSTRAINT billing_review_resolution_is_whole
      CHECK ((state = 'open') = (resolved_at IS NULL) AND (state = 'open') = (resolved_by IS NULL)),
    CONSTRAINT billing_review_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX billing_review_account_id_id_idx ON billing_review (account_id, id);
CREATE INDEX billing_review_account_id_reason_day_idx ON billing_review (account_id, reason, day);
CREATE INDEX billing_review_state_id_idx ON billing_review (state, id);

CREATE TABLE ledger_checkpoint (
    id smallint NOT NULL DEFAULT 1,
    closed_before timestamptz(6) NOT NULL,
    taken_at timestamptz(6) NOT NULL,
    read_whole_at timestamptz(6) NOT NULL,
    CONSTRAINT ledger_checkpoint_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_checkpoint_one_row CHECK (id = 1)
);

CREATE TABLE ledger_checkpoint_account (
    account_id uuid NOT NULL,
    seq bigint NOT NULL,
    balance_nano bigint NOT NULL,
    recorded_at timestamptz(6),
    CONSTRAINT ledger_checkpoint_account_pkey PRIMARY KEY (account_id)
);

CREATE TABLE ledger_checkpoint_day (
    account_id uuid NOT NULL,
    day date NOT NULL,
    requests bigint NOT NULL,
    spent_nano bigint NOT NULL,
    CONSTRAINT ledger_checkpoint_day_pkey PRIMARY KEY (account_id, day)
);

CREATE TABLE ledger_checkpoint_month (
    api_key_id uuid NOT NULL,
    month date NOT NULL,
    account_id uuid NOT NULL,
    spent_nano bigint NOT NULL,
    CONSTRAINT ledger_checkpoint_month_pkey PRIMARY KEY (api_key_id, month)
);
CREATE INDEX ledger_checkpoint_month_account_id_idx ON ledger_checkpoint_month (account_id);

CREATE TABLE ledger_check_round (
    pass ledger_check_pass NOT NULL,
    started_at timestamptz(6) NOT NULL,
    after_account_id uuid,
    within_account_id uuid,
    accounts bigint NOT NULL,
    entries bigint NOT NULL,
    differences integer NOT NULL,
    finished_at timestamptz(6),
    CONSTRAINT ledger_check_round_pkey PRIMARY KEY (pass)
);

CREATE TABLE ledger_check (
    id smallint NOT NULL DEFAULT 1,
    checked_at timestamptz(6) NOT NULL,
    differences integer NOT NULL,
    CONSTRAINT ledger_check_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_check_one_row CHECK (id = 1 AND differences >= 0)
);


-- Payments and invoices

CREATE TABLE checkout (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    amount_nano bigint NOT NULL,
    status checkout_status NOT NULL DEFAULT 'open',
    stripe_session_id text,
    stripe_payment_intent_id text,
    refunded_nano bigint NOT NULL DEFAULT 0,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    paid_at timestamptz(6),
    CONSTRAINT checkout_pkey PRIMARY KEY (id),
    CONSTRAINT checkout_amount_whole_cents CHECK (amount_nano > 0 AND amount_nano % 10000000 = 0),
    CONSTRAINT checkout_refund_within_amount CHECK (refunded_nano >= 0 AND refunded_nano <= amount_nano),
    CONSTRAINT checkout_paid_is_whole CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
    CONSTRAINT checkout_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX checkout_account_id_id_idx ON checkout (account_id, id);
CREATE UNIQUE INDEX checkout_stripe_payment_intent_id_key ON checkout (stripe_payment_intent_id);
CREATE UNIQUE INDEX checkout_stripe_session_id_key ON checkout (stripe_session_id);

CREATE TABLE stripe_event (
    id text NOT NULL,
    type text NOT NULL,
    action text NOT NULL,
    checkout_id uuid,
    session_id text,
    payment_intent_id text,
    object_id text,
    amount_nano bigint,
    currency text,
    outcome text,
    received_at timestamptz(6) NOT NULL,
    CONSTRAINT stripe_event_pkey PRIMARY KEY (id)
);
CREATE INDEX stripe_event_payment_intent_id_idx ON stripe_event (payment_intent_id);

CREATE TABLE invoice (
    account_id uuid NOT NULL,
    month date NOT NULL,
    number text NOT NULL,
    year integer NOT NULL,
    sequence integer NOT NULL,
    account_name text NOT NULL,
    account_email text NOT NULL,
    total_nano bigint NOT NULL,
    top_ups_nano bigint NOT NULL,
    issued_at timestamptz(6) NOT NULL,
    CONSTRAINT invoice_pkey PRIMARY KEY (account_id, month),
    CONSTRAINT invoice_month_is_first_day CHECK (extract(day FROM month) = 1 AND year = extract(year FROM month)),
    CONSTRAINT invoice_sequence_from_one CHECK (sequence >= 1),
    CONSTRAINT invoice_top_ups_not_negative CHECK (top_ups_nano >= 0),
    CONSTRAINT invoice_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX invoice_number_key ON invoice (number);
CREATE UNIQUE INDEX invoice_year_sequence_key ON invoice (year, sequence);

CREATE TABLE invoice_line (
    account_id uuid NOT NULL,
    month date NOT NULL,
    position integer NOT NULL,
    kind invoice_line_kind NOT NULL,
    model_id text NOT NULL,
    requests bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    amount_nano bigint NOT NULL,
    CONSTRAINT invoice_line_pkey PRIMARY KEY (account_id, month, position),
    CONSTRAINT invoice_line_counts_not_negative CHECK (requests >= 0 AND prompt_tokens >= 0 AND completion_tokens >= 0),
    CONSTRAINT invoice_line_sign_fits_kind CHECK (CASE kind WHEN 'usage' THEN amount_nano >= 0 ELSE amount_nano <= 0 END),
    CONSTRAINT invoice_line_account_id_month_fkey
      FOREIGN KEY (account_id, month) REFERENCES invoice(account_id, month) ON UPDATE CASCADE ON DELETE RESTRICT
);

CREATE TABLE invoice_month (
    month date NOT NULL,
    completed_at timestamptz(6) NOT NULL,
    CONSTRAINT invoice_month_pkey PRIMARY KEY (month),
    CONSTRAINT invoice_month_is_first_day CHECK (extract(day FROM month) = 1)
);

CREATE TABLE invoice_year (
    year integer NOT NULL,
    last_sequence integer NOT NULL,
    CONSTRAINT invoice_year_pkey PRIMARY KEY (year)
);


-- Mails

CREATE TABLE outbox (
    id uuid NOT NULL,
    job text NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT outbox_pkey PRIMARY KEY (id),
    CONSTRAINT outbox_job_is_named CHECK (job ~ '^[a-z]+(-[a-z]+)*$' AND char_length(job) <= 60),
    CONSTRAINT outbox_payload_is_short CHECK (jsonb_typeof(payload) = 'object' AND octet_length(payload::text) <= 8000)
);

-- A mail knows its account, or the address that asked for it, which it forgets at its end.
CREATE TABLE mail (
    id uuid NOT NULL,
    kind mail_kind NOT NULL,
    account_id uuid,
    address text,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ended_at timestamptz(6),
    outcome mail_outcome,
    CONSTRAINT mail_pkey PRIMARY KEY (id),
    CONSTRAINT mail_ends_with_an_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL)),
    CONSTRAINT mail_is_for_somebody CHECK (kind = 'sign_in' OR account_id IS NOT NULL),
    CONSTRAINT mail_address_is_kept_until_the_end CHECK ((address IS NOT NULL) = (kind = 'sign_in' AND ended_at IS NULL)),
    CONSTRAINT mail_address_is_short CHECK (char_length(address) <= 254),
    CONSTRAINT mail_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX mail_account_id_id_idx ON mail (account_id, id);
CREATE INDEX mail_ended_at_idx ON mail (ended_at);


-- What the schema begins with

-- The default cohort and its daily caps: 10,000 requests and 100 dollars.
INSERT INTO cohort (name, daily_request_cap, daily_spend_cap_nano) VALUES ('beta', 10000, 100000000000);
INSERT INTO catalog_state (id, version) VALUES (1, 0);
-- Nothing is summed and nothing purged yet.
INSERT INTO usage_sum_state (summed_before, closing_before, closing_xid)
VALUES ('1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '0');
INSERT INTO usage_retention (forgotten_before) VALUES ('1970-01-01T00:00:00Z');


-- Partitions

-- To which nobody but the owner has a right.
CREATE SCHEMA farebox_partition;
-- Of request records that have had their time, if the operator wants them detached.
CREATE SCHEMA farebox_archive;

-- The first partition takes what is before the month after the next one; the worker makes further months ahead of that
-- (libs/ledger/sql/partitions.sql). What those do not reach is beyond: a worker that stood still, a clock that is far ahead.
DO $$
DECLARE
  v_table text;
  v_month timestamptz := (date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC';
BEGIN
  FOREACH v_table IN ARRAY ARRAY['ledger_entry', 'usage_record'] LOOP
    -- An id begins with its milliseconds since 1970.
    EXECUTE format('CREATE TABLE farebox_partition.%I PARTITION OF %I FOR VALUES FROM (MINVALUE) TO (%L)',
                   v_table || '_first', v_table,
                   lpad(to_hex((extract(epoch FROM v_month) * 1000)::bigint), 12, '0') || '70008000000000000000');
    EXECUTE format('CREATE TABLE farebox_partition.%I PARTITION OF %I DEFAULT', v_table || '_beyond', v_table);
  END LOOP;
END $$;
-- An index is read without the table only where a vacuum has seen the page: after each hundredth part of new requests. Of a
-- table that only grows, it looks at new pages alone.
ALTER TABLE farebox_partition.usage_record_first SET (autovacuum_vacuum_insert_scale_factor = 0.01);

-- The first partition's indexes have the names of those that they are parts of, as plans and errors tell them.
ALTER INDEX farebox_partition.ledger_entry_first_pkey RENAME TO ledger_entry_pkey;
ALTER INDEX farebox_partition.ledger_entry_first_account_id_seq_idx RENAME TO ledger_entry_account_id_seq_idx;
ALTER INDEX farebox_partition.ledger_entry_first_refunded_entry_id_idx RENAME TO ledger_entry_refunded_entry_id_idx;
ALTER INDEX farebox_partition.ledger_entry_first_account_id_kind_seq_idx RENAME TO ledger_entry_uncommon_idx;
ALTER INDEX farebox_partition.usage_record_first_pkey RENAME TO usage_record_pkey;
ALTER INDEX farebox_partition.usage_record_first_created_at_idx RENAME TO usage_record_created_at_idx;
ALTER INDEX farebox_partition.usage_record_first_account_id_created_at_id_api_key_id_mode_idx
  RENAME TO usage_record_account_id_created_at_id_idx;

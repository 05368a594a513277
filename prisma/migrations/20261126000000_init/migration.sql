-- The schema: types, tables, constraints, indexes, partitions, and the rows that it begins with. Functions, triggers and
-- rights stand in libs/*/sql and are installed after this. What a column means is in prisma/schema.prisma.


-- Accounts

CREATE TYPE invite_status AS ENUM ('none', 'invited', 'active', 'suspended');

-- Accounts that are admitted together, and the limits of each of them in a day. What may be abandoned is null: a part of the
-- other two (libs/ledger/sql/abandoned.sql).
CREATE TABLE cohort (
    name text NOT NULL,
    daily_request_cap integer NOT NULL,
    daily_spend_cap_nano bigint NOT NULL,
    daily_abandoned_requests integer,
    daily_abandonment_nano bigint,
    CONSTRAINT cohort_pkey PRIMARY KEY (name)
);

-- Limits that are null are the cohort's.
CREATE TABLE account (
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    invite_status invite_status NOT NULL DEFAULT 'none',
    cohort_name text NOT NULL DEFAULT 'beta',
    daily_request_cap integer,
    daily_spend_cap_nano bigint,
    daily_abandoned_requests integer,
    daily_abandonment_nano bigint,
    low_balance_nano bigint,
    low_balance_mailed_at timestamptz(6),
    low_balance_mailed_nano bigint,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
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


-- API keys

CREATE TYPE model_policy_mode AS ENUM ('allow', 'block');

CREATE TABLE api_key (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    secret_hmac bytea NOT NULL,
    pepper_version smallint NOT NULL,
    hint text NOT NULL,
    secret_issued_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    version integer NOT NULL DEFAULT 1,
    monthly_spend_limit_nano bigint,
    model_policy_mode model_policy_mode,
    model_policy_models text[],
    -- The pages that may use a key for browsers. Null: it is for programs.
    allowed_origins text[],
    -- Null: unless the key is for browsers.
    shows_account_limits boolean,
    lifetime_starts_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz(6),
    revoked_at timestamptz(6),
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT api_key_pkey PRIMARY KEY (id),
    CONSTRAINT api_key_allows_some_origins CHECK (cardinality(allowed_origins) BETWEEN 1 AND 20),
    CONSTRAINT api_key_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX api_key_secret_hmac_key ON api_key (secret_hmac);
CREATE INDEX api_key_account_id_id_idx ON api_key (account_id, id);
-- Keys that are not revoked are listed by themselves: revoked ones stay on record, and there may be any number of them.
CREATE INDEX api_key_live_idx ON api_key (account_id, id) WHERE revoked_at IS NULL;


-- Sign-in: devices, sessions and links

CREATE TYPE sign_in_link_purpose AS ENUM ('invite', 'sign_in');

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
    device_id uuid,
    token_sha256 bytea NOT NULL,
    user_agent text,
    last_seen_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    idle_expires_at timestamptz(6) NOT NULL,
    expires_at timestamptz(6) NOT NULL,
    revoked_at timestamptz(6),
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT account_session_pkey PRIMARY KEY (id),
    CONSTRAINT account_session_user_agent_is_short CHECK (char_length(user_agent) <= 200),
    CONSTRAINT account_session_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT,
    -- Both columns: a session is never bound to a device of another account.
    CONSTRAINT account_session_account_id_device_id_fkey
      FOREIGN KEY (account_id, device_id) REFERENCES device(account_id, id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX account_session_token_sha256_key ON account_session (token_sha256);
CREATE UNIQUE INDEX account_session_account_id_device_id_key ON account_session (account_id, device_id);
CREATE INDEX account_session_account_id_id_idx ON account_session (account_id, id);

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
CREATE UNIQUE INDEX sign_in_link_token_sha256_key ON sign_in_link (token_sha256);
CREATE INDEX sign_in_link_account_id_id_idx ON sign_in_link (account_id, id);
CREATE INDEX sign_in_link_expires_at_idx ON sign_in_link (expires_at);

CREATE TABLE sign_in_throttle (
    subject_sha256 bytea NOT NULL,
    recovered_at timestamptz(6) NOT NULL,
    CONSTRAINT sign_in_throttle_pkey PRIMARY KEY (subject_sha256),
    CONSTRAINT sign_in_throttle_subject_is_a_hash CHECK (octet_length(subject_sha256) = 32)
);


-- Audit: what was done to accounts and their credentials, and what operators did

CREATE TYPE credential_kind AS ENUM ('api_key', 'device', 'session', 'account');
CREATE TYPE credential_action AS ENUM ('create', 'change', 'rotate', 'revoke');
CREATE TYPE actor_kind AS ENUM ('session', 'device', 'operator', 'system');
CREATE TYPE operator_action_outcome AS ENUM ('done', 'attempted', 'failed');

-- Written in the statement that does it. A session is deleted a while after its end, and its events stay: `credential_id` is
-- no foreign key.
CREATE TABLE credential_event (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
    account_id uuid NOT NULL,
    credential credential_kind NOT NULL,
    credential_id uuid NOT NULL,
    action credential_action NOT NULL,
    actor_kind actor_kind NOT NULL,
    actor text NOT NULL,
    -- From where: the network, cut short, and a line of what the program said of itself.
    network inet,
    user_agent text,
    -- Of a sign-in: the browser, by which it is known again.
    browser_sha256 bytea,
    is_new_browser boolean NOT NULL DEFAULT false,
    CONSTRAINT credential_event_pkey PRIMARY KEY (id),
    CONSTRAINT credential_event_actor_is_named CHECK (char_length(actor) BETWEEN 1 AND 200),
    CONSTRAINT credential_event_user_agent_is_short CHECK (char_length(user_agent) <= 200)
);
CREATE INDEX credential_event_account_id_at_idx ON credential_event (account_id, at);
-- The worker deletes the oldest ones.
CREATE INDEX credential_event_at_idx ON credential_event (at);
-- Whether a browser has signed in to an account before.
CREATE INDEX credential_event_browser_idx ON credential_event (account_id, browser_sha256)
  WHERE browser_sha256 IS NOT NULL;

-- No row lacks an operator or an action, and none can be used to fill the disk.
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


-- The catalogue

CREATE TYPE max_tokens_field AS ENUM ('max_tokens', 'max_completion_tokens');
CREATE TYPE model_visibility AS ENUM ('public', 'cohorts', 'disabled');

CREATE TABLE upstream (
    id text NOT NULL,
    base_url text NOT NULL,
    api_key_env text,
    wire text NOT NULL DEFAULT 'chat',
    -- How it differs from other servers of its wire.
    dialect jsonb NOT NULL DEFAULT '{}',
    -- How the customers of its prompt cache are kept apart.
    prompt_cache text NOT NULL DEFAULT 'hidden',
    max_tokens_field max_tokens_field NOT NULL DEFAULT 'max_tokens',
    connect_timeout_ms integer NOT NULL,
    first_byte_timeout_ms integer NOT NULL,
    idle_timeout_ms integer NOT NULL,
    total_timeout_ms integer NOT NULL,
    CONSTRAINT upstream_pkey PRIMARY KEY (id),
    CONSTRAINT upstream_wire_known CHECK (wire IN ('chat', 'responses', 'messages')),
    CONSTRAINT upstream_prompt_cache_known
      CHECK (prompt_cache IN ('cache_salt', 'prompt_cache_key', 'user', 'metadata.user_id', 'shared', 'hidden'))
);

CREATE TABLE model (
    id text NOT NULL,
    kind text NOT NULL DEFAULT 'chat',
    owned_by text NOT NULL,
    -- In the catalogue file, and in lists of models.
    position integer NOT NULL DEFAULT 0,
    visibility model_visibility NOT NULL,
    cohorts text[],
    context_window integer NOT NULL,
    max_output_tokens integer NOT NULL,
    default_max_output_tokens integer,
    tokenizer text,
    prompt_overhead integer NOT NULL DEFAULT 256,
    message_overhead integer NOT NULL DEFAULT 16,
    tools_overhead integer NOT NULL DEFAULT 256,
    modalities text[],
    image_tokens integer,
    file_tokens integer,
    extra_fields jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT model_pkey PRIMARY KEY (id),
    CONSTRAINT model_kind_known CHECK (kind IN ('chat', 'embeddings'))
);

CREATE TABLE model_route (
    model_id text NOT NULL,
    position smallint NOT NULL,
    upstream_id text NOT NULL,
    upstream_model text NOT NULL,
    weight smallint NOT NULL DEFAULT 1,
    -- Null: the position.
    priority smallint,
    CONSTRAINT model_route_pkey PRIMARY KEY (model_id, position),
    CONSTRAINT model_route_model_id_fkey FOREIGN KEY (model_id) REFERENCES model(id) ON UPDATE CASCADE ON DELETE RESTRICT,
    CONSTRAINT model_route_upstream_id_fkey
      FOREIGN KEY (upstream_id) REFERENCES upstream(id) ON UPDATE CASCADE ON DELETE RESTRICT
);

-- The operator's own cost of a route. It is no column of `model_route`, which the account service may read.
CREATE TABLE route_cost (
    model_id text NOT NULL,
    position smallint NOT NULL,
    price jsonb NOT NULL,
    CONSTRAINT route_cost_pkey PRIMARY KEY (model_id, position),
    CONSTRAINT route_cost_model_id_position_fkey
      FOREIGN KEY (model_id, position) REFERENCES model_route(model_id, position) ON UPDATE CASCADE ON DELETE CASCADE
);

-- A kind of token without a price of its own has that of the kind that it is a part of. `steps` are the prices of longer
-- prompts.
CREATE TABLE price_version (
    id uuid NOT NULL,
    model_id text NOT NULL,
    input_price_pico bigint NOT NULL,
    output_price_pico bigint NOT NULL,
    cached_input_price_pico bigint,
    cache_write_price_pico bigint,
    reasoning_price_pico bigint,
    image_price_pico bigint,
    request_price_pico bigint,
    steps jsonb NOT NULL DEFAULT '[]',
    starts_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT price_version_pkey PRIMARY KEY (id),
    CONSTRAINT price_version_not_negative CHECK (input_price_pico >= 0 AND output_price_pico >= 0),
    CONSTRAINT price_version_kinds_not_negative
      CHECK (cached_input_price_pico >= 0 AND cache_write_price_pico >= 0 AND reasoning_price_pico >= 0
             AND image_price_pico >= 0 AND request_price_pico >= 0),
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
--
-- A charge writes these tables, and those of usage, in a transaction that holds its account's lock. PostgreSQL prepares the
-- CHECKs of a table in each statement, which for a lone charge cost more than to write the row: hot tables have few of them,
-- and of few parts (`least` passes over NULL). `ledger_entry` has none: the trigger check_ledger_chain keeps its rules.

CREATE TYPE ledger_entry_kind AS ENUM ('top_up', 'charge', 'refund', 'adjustment');
CREATE TYPE ledger_book AS ENUM ('customer', 'funding', 'revenue', 'adjustments');

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

-- Counts of what was abandoned only grow, and every check of the books compares them with their records: they have no CHECK.
CREATE TABLE account_day (
    account_id uuid NOT NULL,
    day date NOT NULL,
    requests integer NOT NULL DEFAULT 0,
    spent_nano bigint NOT NULL DEFAULT 0,
    held_nano bigint NOT NULL DEFAULT 0,
    abandoned_requests integer NOT NULL DEFAULT 0,
    abandoned_nano bigint NOT NULL DEFAULT 0,
    CONSTRAINT account_day_pkey PRIMARY KEY (account_id, day),
    CONSTRAINT account_day_counts_not_negative CHECK (least(requests, spent_nano, held_nano) >= 0)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE api_key_month (
    api_key_id uuid NOT NULL,
    month date NOT NULL,
    spent_nano bigint NOT NULL DEFAULT 0,
    held_nano bigint NOT NULL DEFAULT 0,
    last_used_at timestamptz(6),
    CONSTRAINT api_key_month_pkey PRIMARY KEY (api_key_id, month),
    CONSTRAINT api_key_month_counts_not_negative CHECK (least(spent_nano, held_nano) >= 0),
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
    idempotency_key text,
    day date NOT NULL,
    created_at timestamptz(6) NOT NULL,
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
    CONSTRAINT ledger_entry_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
-- Not unique: a partitioned table has no unique index without the column that it is partitioned by. See check_ledger_chain.
CREATE INDEX ledger_entry_account_id_seq_idx ON ledger_entry (account_id, seq);
-- The transactions of an account by any type but the common one, and the refunds of a month, without reading its charges.
CREATE INDEX ledger_entry_uncommon_idx ON ledger_entry (account_id, kind, seq) WHERE kind <> 'charge';
-- Refunds alone are found by the charge that they give back: an index of all entries would be written for each charge.
CREATE INDEX ledger_entry_refunds_idx ON ledger_entry (refunded_entry_id) WHERE refunded_entry_id IS NOT NULL;

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
CREATE UNIQUE INDEX funding_reference_key ON funding (reference);
CREATE INDEX funding_account_id_id_idx ON funding (account_id, id);
CREATE INDEX funding_created_at_idx ON funding (created_at);

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
CREATE UNIQUE INDEX reversal_reference_key ON reversal (reference);
CREATE INDEX reversal_account_id_id_idx ON reversal (account_id, id);

CREATE TABLE adjustment (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    amount_nano bigint NOT NULL,
    reason text NOT NULL,
    reference text NOT NULL,
    made_by text NOT NULL,
    reversal_id uuid,
    created_at timestamptz(6) NOT NULL,
    CONSTRAINT adjustment_pkey PRIMARY KEY (id),
    CONSTRAINT adjustment_amount_not_zero CHECK (amount_nano <> 0),
    CONSTRAINT adjustment_of_reversal_is_taken CHECK (reversal_id IS NULL OR amount_nano < 0),
    CONSTRAINT adjustment_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT,
    CONSTRAINT adjustment_reversal_id_fkey
      FOREIGN KEY (reversal_id) REFERENCES reversal(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX adjustment_reference_key ON adjustment (reference);
CREATE INDEX adjustment_account_id_id_idx ON adjustment (account_id, id);


-- The ledger: kept answers

CREATE TYPE claim_state AS ENUM ('in_flight', 'answered', 'withheld');

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
--
-- Tokens of each kind are null if the upstream did not report them.

CREATE TYPE usage_outcome AS ENUM ('completed', 'client_gone', 'upstream_failed', 'upstream_timeout', 'shutdown');
CREATE TYPE usage_grain AS ENUM ('hour', 'hour_key', 'hour_model', 'day', 'day_key', 'day_model', 'day_key_model');
CREATE TYPE uncharged_outcome AS ENUM ('refused', 'failed');

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
    cached_tokens integer,
    cache_write_tokens integer,
    reasoning_tokens integer,
    images integer,
    cost_nano bigint NOT NULL,
    outcome usage_outcome NOT NULL,
    streamed boolean NOT NULL,
    estimated boolean NOT NULL,
    day date NOT NULL,
    latency_ms integer NOT NULL,
    first_token_ms integer,
    created_at timestamptz(6) NOT NULL,
    CONSTRAINT usage_record_pkey PRIMARY KEY (id),
    CONSTRAINT usage_record_counts_not_negative CHECK (
      least(prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, images) >= 0
      AND cost_nano >= 0
    )
) PARTITION BY RANGE (id);
-- The order in which requests were charged. The list of one key or model is read from the index alone.
CREATE INDEX usage_record_account_id_created_at_id_idx ON usage_record (account_id, created_at, id)
  INCLUDE (api_key_id, model_id);
CREATE INDEX usage_record_created_at_idx ON usage_record USING brin (created_at);

-- The route of a charged request, by the id of its hold, and what it cost the operator; null if the catalogue does not say.
CREATE TABLE usage_route (
    id uuid NOT NULL,
    upstream_id text NOT NULL,
    upstream_model text NOT NULL,
    cost_nano bigint,
    CONSTRAINT usage_route_pkey PRIMARY KEY (id),
    CONSTRAINT usage_route_cost_not_negative CHECK (cost_nano >= 0)
);

-- No CHECK: nothing is written to an hour but sums of rows that the rules of usage_record let pass, and every check of the
-- books compares the two.
CREATE TABLE usage_hour (
    account_id uuid NOT NULL,
    hour timestamptz(6) NOT NULL,
    api_key_id uuid NOT NULL,
    model_id text NOT NULL,
    requests integer NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL DEFAULT 0,
    cache_write_tokens bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0,
    cost_nano bigint NOT NULL,
    CONSTRAINT usage_hour_pkey PRIMARY KEY (account_id, hour, api_key_id, model_id)
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
    cached_tokens bigint NOT NULL DEFAULT 0,
    cache_write_tokens bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0,
    cost_nano bigint NOT NULL,
    -- The sums of a day by the hour, written once: a month by the hour is thirty rows, not 720. Null: they are read one by
    -- one.
    hours text,
    -- The sums of a month were written hour by hour, each on another page: with them in it, the index is all that is read.
    CONSTRAINT usage_sum_pkey PRIMARY KEY (account_id, grain, api_key_id, model_id, starts_at)
      INCLUDE (requests, prompt_tokens, completion_tokens, cost_nano, cached_tokens, cache_write_tokens, reasoning_tokens)
);

-- The day under way, as far as its hours are summed: its rows change all day, those of usage_sum do not. At the end of the
-- day it is empty, and keeps its pages: plans that are made of a table without pages read it whole, and are kept.
CREATE TABLE usage_open_day (
    account_id uuid NOT NULL,
    grain usage_grain NOT NULL,
    api_key_id uuid NOT NULL,
    model_id text NOT NULL,
    starts_at timestamptz(6) NOT NULL,
    requests bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    cost_nano bigint NOT NULL,
    hours text,
    CONSTRAINT usage_open_day_pkey PRIMARY KEY (account_id, grain, api_key_id, model_id, starts_at)
) WITH (fillfactor = 50, vacuum_truncate = off);

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
    purged_before timestamptz(6) NOT NULL,
    CONSTRAINT usage_retention_pkey PRIMARY KEY (id),
    CONSTRAINT usage_retention_one_row CHECK (id = 1),
    CONSTRAINT usage_retention_is_month CHECK (purged_before = date_trunc('month', purged_before, 'UTC'))
);

-- Requests that cost nothing: refused before they ran, or failed with nothing delivered. For their account to read. They
-- are no money, and no table of the ledger refers to them.
CREATE TABLE uncharged_request (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    model_id text,
    request_id text NOT NULL,
    outcome uncharged_outcome NOT NULL,
    error_code text,
    http_status integer,
    streamed boolean NOT NULL,
    latency_ms integer NOT NULL,
    created_at timestamptz(6) NOT NULL,
    CONSTRAINT uncharged_request_pkey PRIMARY KEY (id),
    CONSTRAINT uncharged_request_is_told_or_not CHECK ((error_code IS NULL) = (http_status IS NULL)),
    CONSTRAINT uncharged_request_refusal_has_code CHECK (outcome = 'failed' OR error_code IS NOT NULL)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05);
-- The order of the list. What it is filtered by is in the index, so that a list of one key, model or outcome reads no more
-- of the table than it shows.
CREATE INDEX uncharged_request_account_id_created_at_id_idx ON uncharged_request (account_id, created_at, id)
  INCLUDE (api_key_id, model_id, outcome);

-- Requests whose response nobody took, by the ids of their holds: the customer pays nothing, the operator pays the upstream.
-- `was_charged`: the charge was given back. `is_rest`: the charge stands, and this is what the upstream did beyond it.
CREATE TABLE abandoned_request (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    model_id text,
    upstream_id text,
    upstream_model text,
    cost_nano bigint NOT NULL,
    was_charged boolean NOT NULL,
    is_rest boolean NOT NULL DEFAULT false,
    day date NOT NULL,
    created_at timestamptz(6) NOT NULL,
    CONSTRAINT abandoned_request_pkey PRIMARY KEY (id),
    CONSTRAINT abandoned_request_cost_not_negative CHECK (cost_nano >= 0)
);
CREATE INDEX abandoned_request_account_id_day_idx ON abandoned_request (account_id, day);


-- The ledger: reviews, and checks of the books

CREATE TYPE review_reason AS ENUM ('gateway_lost', 'usage_over_hold', 'charge_failed', 'usage_implausible', 'response_lost');
CREATE TYPE review_state AS ENUM ('open', 'charged', 'waived');
CREATE TYPE ledger_check_pass AS ENUM ('recent', 'whole');

CREATE TABLE billing_review (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    request_id text NOT NULL,
    reason review_reason NOT NULL,
    state review_state NOT NULL DEFAULT 'open',
    day date,
    held_nano bigint NOT NULL,
    reserved_nano bigint NOT NULL DEFAULT 0,
    measured_cost_nano bigint,
    -- The tokens could not be counted: they and the amount are an estimate.
    uncounted boolean NOT NULL DEFAULT false,
    model_id text,
    price_version_id uuid,
    idempotency_key text,
    prompt_tokens integer,
    completion_tokens integer,
    cached_tokens integer,
    cache_write_tokens integer,
    reasoning_tokens integer,
    images integer,
    outcome usage_outcome,
    streamed boolean,
    estimated boolean,
    latency_ms integer,
    first_token_ms integer,
    -- How many requests it is about, and the last of them.
    request_count integer NOT NULL DEFAULT 1,
    last_request_id text,
    last_at timestamptz(6),
    created_at timestamptz(6) NOT NULL,
    resolved_at timestamptz(6),
    resolved_by text,
    note text,
    CONSTRAINT billing_review_pkey PRIMARY KEY (id),
    CONSTRAINT billing_review_reserve_within_hold CHECK (reserved_nano >= 0 AND reserved_nano <= held_nano),
    CONSTRAINT billing_review_resolution_is_whole
      CHECK ((state = 'open') = (resolved_at IS NULL) AND (state = 'open') = (resolved_by IS NULL)),
    CONSTRAINT billing_review_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX billing_review_state_id_idx ON billing_review (state, id);
CREATE INDEX billing_review_account_id_id_idx ON billing_review (account_id, id);
CREATE INDEX billing_review_account_id_reason_day_idx ON billing_review (account_id, reason, day);

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


-- Billing: payments and invoices

CREATE TYPE checkout_status AS ENUM ('open', 'awaiting', 'paid', 'ended');
CREATE TYPE invoice_line_kind AS ENUM ('usage', 'refund');

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
CREATE UNIQUE INDEX checkout_stripe_session_id_key ON checkout (stripe_session_id);
CREATE UNIQUE INDEX checkout_stripe_payment_intent_id_key ON checkout (stripe_payment_intent_id);
CREATE INDEX checkout_account_id_id_idx ON checkout (account_id, id);

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
    cached_tokens bigint NOT NULL DEFAULT 0,
    cache_write_tokens bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0,
    amount_nano bigint NOT NULL,
    CONSTRAINT invoice_line_pkey PRIMARY KEY (account_id, month, position),
    CONSTRAINT invoice_line_counts_not_negative CHECK (requests >= 0 AND prompt_tokens >= 0 AND completion_tokens >= 0),
    CONSTRAINT invoice_line_kinds_not_negative
      CHECK (cached_tokens >= 0 AND cache_write_tokens >= 0 AND reasoning_tokens >= 0),
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


-- Mails, and jobs that a transaction asks for

CREATE TYPE mail_kind AS ENUM ('sign_in', 'invite', 'low_balance', 'new_browser', 'new_api_key', 'new_device');
CREATE TYPE mail_outcome AS ENUM ('sent', 'shown', 'refused', 'expired', 'not_wanted', 'no_mail_server');

-- A mail knows its account, or the address that asked for it, which is deleted at its end. An event may be deleted before the
-- mail about it: `credential_event_id` is no foreign key.
CREATE TABLE mail (
    id uuid NOT NULL,
    kind mail_kind NOT NULL,
    account_id uuid,
    address text,
    credential_event_id uuid,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ended_at timestamptz(6),
    outcome mail_outcome,
    CONSTRAINT mail_pkey PRIMARY KEY (id),
    CONSTRAINT mail_ends_with_an_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL)),
    CONSTRAINT mail_is_for_somebody CHECK (kind = 'sign_in' OR account_id IS NOT NULL),
    CONSTRAINT mail_names_its_event
      CHECK ((credential_event_id IS NOT NULL) = (kind IN ('new_browser', 'new_api_key', 'new_device'))),
    CONSTRAINT mail_address_is_kept_until_the_end CHECK ((address IS NOT NULL) = (kind = 'sign_in' AND ended_at IS NULL)),
    CONSTRAINT mail_address_is_short CHECK (char_length(address) <= 254),
    CONSTRAINT mail_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX mail_account_id_id_idx ON mail (account_id, id);
CREATE INDEX mail_ended_at_idx ON mail (ended_at);

CREATE TABLE outbox (
    id uuid NOT NULL,
    job text NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT outbox_pkey PRIMARY KEY (id),
    CONSTRAINT outbox_job_is_named CHECK (job ~ '^[a-z]+(-[a-z]+)*$' AND char_length(job) <= 60),
    CONSTRAINT outbox_payload_is_short CHECK (jsonb_typeof(payload) = 'object' AND octet_length(payload::text) <= 8000)
);


-- Rows that the schema begins with

-- The default cohort and its daily caps: 10,000 requests and 100 dollars.
INSERT INTO cohort (name, daily_request_cap, daily_spend_cap_nano) VALUES ('beta', 10000, 100000000000);
INSERT INTO catalog_state (id, version) VALUES (1, 0);
-- Nothing is summed and nothing purged yet.
INSERT INTO usage_sum_state (summed_before, closing_before, closing_xid)
VALUES ('1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '0');
INSERT INTO usage_retention (purged_before) VALUES ('1970-01-01T00:00:00Z');


-- Partitions

-- To which nobody but the owner has a right.
CREATE SCHEMA farebox_partition;
-- For request records that are older than the retention, if the operator wants them detached.
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

-- The first partition's indexes have the names of those that they are parts of, as plans and errors name them.
ALTER INDEX farebox_partition.ledger_entry_first_pkey RENAME TO ledger_entry_pkey;
ALTER INDEX farebox_partition.ledger_entry_first_account_id_seq_idx RENAME TO ledger_entry_account_id_seq_idx;
ALTER INDEX farebox_partition.ledger_entry_first_account_id_kind_seq_idx RENAME TO ledger_entry_uncommon_idx;
ALTER INDEX farebox_partition.ledger_entry_first_refunded_entry_id_idx RENAME TO ledger_entry_refunds_idx;
ALTER INDEX farebox_partition.usage_record_first_pkey RENAME TO usage_record_pkey;
ALTER INDEX farebox_partition.usage_record_first_created_at_idx RENAME TO usage_record_created_at_idx;
ALTER INDEX farebox_partition.usage_record_first_account_id_created_at_id_api_key_id_mode_idx
  RENAME TO usage_record_account_id_created_at_id_idx;

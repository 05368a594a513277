-- The items of a call, as a gateway sends them: the fields in the order of src/columns.ts, which a test compares. Whatever
-- takes one takes it whole, so that a new field is named here, where it is measured and where it is stored.
--
-- PostgreSQL replaces no type. If this file has changed, comments apart, `npm run migrate` drops its types with the
-- functions that take them, and installs all SQL of the library; a gateway that runs meanwhile cannot send them any more.
-- So from the first release on, this file stays as it is while gateways send its types: what comes after them stands in
-- types-2.sql.

-- A request that asks for a hold.
CREATE TYPE ledger_admission AS (
  hold_id uuid,
  account_id uuid,
  api_key_id uuid,
  api_key_version int,
  cohort_name text,
  amount_nano bigint,
  model_id text,
  price_version_id uuid,
  request_id text,
  idempotency_key text,
  fingerprint bytea,
  most_tokens int
);

-- The end of a hold: a charge if there is a measured cost, a release if there is none. A release whose outcome is `abandoned`
-- says what the upstream cost that nobody pays for.
CREATE TYPE ledger_settlement AS (
  hold_id uuid,
  account_id uuid,
  measured_cost_nano bigint,
  prompt_tokens int,
  completion_tokens int,
  cached_tokens int,
  cache_write_tokens int,
  reasoning_tokens int,
  images int,
  upstream_id text,
  upstream_model text,
  upstream_cost_nano bigint,
  outcome text,
  streamed boolean,
  estimated boolean,
  latency_ms int,
  first_token_ms int,
  -- Empty: it was written before.
  answer bytea
);

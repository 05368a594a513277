-- Requests that cost nothing: refused before they ran, or failed with nothing delivered. For their account to read. They
-- are no money, and no table of the ledger refers to them.

CREATE TYPE uncharged_outcome AS ENUM ('refused', 'failed');

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

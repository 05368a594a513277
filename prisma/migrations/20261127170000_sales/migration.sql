-- What was charged, and what it cost, over closed hours and days of UTC: what an operator's reports add up. By time first,
-- since they read all accounts.
CREATE TYPE sales_grain AS ENUM ('hour', 'day');

CREATE TABLE sales_by_route (
    grain sales_grain NOT NULL,
    starts_at timestamptz(6) NOT NULL,
    model_id text NOT NULL,
    -- Both are empty if the route is not known.
    upstream_id text NOT NULL,
    upstream_model text NOT NULL,
    requests bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    -- What was charged, whatever was given back of it since.
    charged_nano bigint NOT NULL,
    -- What the upstreams cost, as far as it is known, and the requests of which it is not.
    cost_nano bigint NOT NULL,
    unknown_requests bigint NOT NULL,
    unknown_nano bigint NOT NULL,
    broke_off bigint NOT NULL,
    timed_out bigint NOT NULL,
    client_gone bigint NOT NULL,
    -- Each time that a request took, and how many took it; and the same of the first token.
    latency_ms integer[] NOT NULL,
    latency_requests integer[] NOT NULL,
    first_token_ms integer[] NOT NULL,
    first_token_requests integer[] NOT NULL,
    CONSTRAINT sales_by_route_pkey PRIMARY KEY (grain, starts_at, model_id, upstream_id, upstream_model)
);

CREATE TABLE sales_by_key (
    grain sales_grain NOT NULL,
    starts_at timestamptz(6) NOT NULL,
    account_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    requests bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    charged_nano bigint NOT NULL,
    cost_nano bigint NOT NULL,
    unknown_requests bigint NOT NULL,
    unknown_nano bigint NOT NULL,
    CONSTRAINT sales_by_key_pkey PRIMARY KEY (grain, starts_at, account_id, api_key_id)
);

CREATE TABLE sales_state (
    id smallint NOT NULL DEFAULT 1,
    -- Every hour before this one is in both. It is one that `usage_sum_state` has closed.
    summed_before timestamptz(6) NOT NULL,
    CONSTRAINT sales_state_pkey PRIMARY KEY (id),
    CONSTRAINT sales_state_one_row CHECK (id = 1)
);
INSERT INTO sales_state (summed_before) VALUES ('1970-01-01T00:00:00Z');

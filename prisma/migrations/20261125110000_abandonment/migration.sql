-- Requests whose response nobody took: their customer pays nothing, and whoever runs the service pays the upstream. Each has
-- the id of its hold. `was_charged`: it was charged, and the charge was given back.
CREATE TABLE abandoned_request (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    model_id text,
    upstream_id text,
    upstream_model text,
    cost_nano bigint NOT NULL,
    was_charged boolean NOT NULL,
    day date NOT NULL,
    created_at timestamptz(6) NOT NULL,
    CONSTRAINT abandoned_request_pkey PRIMARY KEY (id),
    CONSTRAINT abandoned_request_cost_not_negative CHECK (cost_nano >= 0)
);
CREATE INDEX abandoned_request_account_id_day_idx ON abandoned_request (account_id, day);

-- How many an account may have in a day, and what they may cost. Null: the cohort's, or else a part of its daily caps.
ALTER TABLE cohort
  ADD COLUMN daily_abandoned_requests integer,
  ADD COLUMN daily_abandonment_nano bigint;
ALTER TABLE account
  ADD COLUMN daily_abandoned_requests integer,
  ADD COLUMN daily_abandonment_nano bigint;

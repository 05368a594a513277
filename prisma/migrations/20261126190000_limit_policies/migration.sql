CREATE TYPE limit_measure AS ENUM ('requests', 'tokens', 'concurrency', 'spend');
CREATE TYPE limit_window AS ENUM ('minute', 'five_hours', 'day', 'week', 'month');

CREATE TABLE limit_policy (
    id uuid NOT NULL,
    measure limit_measure NOT NULL,
    per limit_window,
    most bigint NOT NULL,
    cohort_name text,
    account_id uuid,
    api_key_id uuid,
    model_id text,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT limit_policy_pkey PRIMARY KEY (id),
    CONSTRAINT limit_policy_most_positive CHECK (most > 0),
    CONSTRAINT limit_policy_has_window CHECK ((measure = 'concurrency') = (per IS NULL)),
    CONSTRAINT limit_policy_is_attached CHECK (
      num_nonnulls(cohort_name, account_id, api_key_id) <= 1
      AND num_nonnulls(cohort_name, account_id, api_key_id, model_id) >= 1
    ),
    CONSTRAINT limit_policy_cohort_name_fkey
      FOREIGN KEY (cohort_name) REFERENCES cohort(name) ON UPDATE CASCADE ON DELETE RESTRICT,
    CONSTRAINT limit_policy_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT,
    CONSTRAINT limit_policy_api_key_id_fkey
      FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
-- One policy for each measure and window of what it is attached to.
CREATE UNIQUE INDEX limit_policy_once_idx
  ON limit_policy (account_id, api_key_id, cohort_name, model_id, measure, per) NULLS NOT DISTINCT;
-- One look for all that may apply to a request.
CREATE INDEX limit_policy_target_idx ON limit_policy
  ((coalesce(account_id::text, api_key_id::text, 'cohort:' || cohort_name, 'model:' || model_id)));

-- Set if a policy applies: the most tokens that the request can use.
ALTER TABLE hold ADD COLUMN limited_tokens integer;

-- Of requests that a policy applies to and that were admitted in this minute, the last one of the row.
ALTER TABLE usage_hour
  ADD COLUMN minute_at timestamptz(6),
  ADD COLUMN minute_requests integer NOT NULL DEFAULT 0,
  ADD COLUMN minute_tokens bigint NOT NULL DEFAULT 0,
  ADD COLUMN minute_cost_nano bigint NOT NULL DEFAULT 0;

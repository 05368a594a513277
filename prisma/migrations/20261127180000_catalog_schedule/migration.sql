CREATE TYPE catalog_schedule_state AS ENUM ('scheduled', 'applied', 'refused', 'withdrawn');

-- What the worker does in the name of the operator who scheduled it.
ALTER TYPE operator_channel ADD VALUE 'schedule' AFTER 'key';

-- A catalogue file that the worker applies at its time.
CREATE TABLE catalog_schedule (
    id uuid NOT NULL,
    apply_at timestamptz(6) NOT NULL,
    -- In force when it was scheduled, and what the operator compared it with.
    base_version integer NOT NULL,
    -- For messages.
    name text NOT NULL,
    file text NOT NULL,
    -- What the file says, as rows of the tables. Neither the worker's environment nor a later version of the code reads it.
    content jsonb NOT NULL,
    -- For the operators' log: the difference.
    details jsonb NOT NULL,
    scheduled_by text NOT NULL,
    scheduled_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    state catalog_schedule_state NOT NULL DEFAULT 'scheduled',
    ended_at timestamptz(6),
    -- As which it was applied.
    version integer,
    -- Why it was refused, one sentence.
    reason text,
    CONSTRAINT catalog_schedule_pkey PRIMARY KEY (id),
    CONSTRAINT catalog_schedule_end CHECK ((state = 'scheduled') = (ended_at IS NULL)),
    CONSTRAINT catalog_schedule_version CHECK ((state = 'applied') = (version IS NOT NULL))
);
-- One waits at a time: what the next one changes would depend on it.
CREATE UNIQUE INDEX catalog_schedule_waiting_key ON catalog_schedule (state) WHERE state = 'scheduled';

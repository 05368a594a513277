CREATE TYPE webhook_off_reason AS ENUM ('owner', 'failures', 'gone');
CREATE TYPE webhook_delivery_state AS ENUM ('pending', 'delivered', 'failed');

-- A URL that is told of events. Its secret is derived from a key of the environment, and stored nowhere.
CREATE TABLE webhook_endpoint (
    id uuid NOT NULL,
    -- Null: of the operators, for the events of all accounts.
    account_id uuid,
    url text NOT NULL,
    description text,
    -- Null: all.
    event_types text[],
    key_version integer NOT NULL,
    -- Of the secret.
    generation integer NOT NULL DEFAULT 1,
    -- Of the secret before, which signs too for a day after the rotation.
    former_key_version integer,
    rotated_at timestamptz(6),
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    off_reason webhook_off_reason,
    -- Attempts in a row that failed, over all events.
    failures integer NOT NULL DEFAULT 0,
    last_success_at timestamptz(6),
    CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_endpoint_url CHECK (url ~ '^https?://' AND char_length(url) <= 2000),
    CONSTRAINT webhook_endpoint_description CHECK (char_length(description) BETWEEN 1 AND 200),
    CONSTRAINT webhook_endpoint_event_types CHECK (cardinality(event_types) BETWEEN 1 AND 100),
    CONSTRAINT webhook_endpoint_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX webhook_endpoint_account_id_id_idx ON webhook_endpoint (account_id, id);

CREATE TABLE webhook_event (
    id uuid NOT NULL,
    -- Null for the test of an operator's endpoint. No foreign key: money that moves must not wait for it.
    account_id uuid,
    type text NOT NULL,
    data jsonb NOT NULL,
    -- For an event that a job may find twice.
    once text,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT webhook_event_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX webhook_event_once_key ON webhook_event (once);
CREATE INDEX webhook_event_account_id_idx ON webhook_event (account_id);
CREATE INDEX webhook_event_created_at_idx ON webhook_event (created_at);

CREATE TABLE webhook_delivery (
    -- No foreign key: what an event tells of must not wait for an endpoint that is being deleted.
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    state webhook_delivery_state NOT NULL DEFAULT 'pending',
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz(6) NOT NULL,
    -- Of the last attempt.
    response_status integer,
    error text,
    ended_at timestamptz(6),
    CONSTRAINT webhook_delivery_pkey PRIMARY KEY (endpoint_id, event_id),
    CONSTRAINT webhook_delivery_end CHECK ((state = 'pending') = (ended_at IS NULL)),
    CONSTRAINT webhook_delivery_event_id_fkey
      FOREIGN KEY (event_id) REFERENCES webhook_event(id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_event_id_idx ON webhook_delivery (event_id);
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (endpoint_id, due_at) WHERE ended_at IS NULL;

CREATE TYPE operator_role AS ENUM ('viewer', 'support', 'finance', 'owner');
CREATE TYPE operator_channel AS ENUM ('shell', 'session', 'key');

-- People who operate the service. One who was removed stays, since the log names them.
CREATE TABLE operator (
    id uuid NOT NULL,
    email text NOT NULL,
    role operator_role NOT NULL,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    removed_at timestamptz(6),
    CONSTRAINT operator_pkey PRIMARY KEY (id),
    CONSTRAINT operator_email_lower_case CHECK (email = lower(email) AND char_length(email) BETWEEN 3 AND 254)
);
CREATE UNIQUE INDEX operator_email_idx ON operator (email) WHERE removed_at IS NULL;

CREATE TABLE operator_session (
    id uuid NOT NULL,
    operator_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    -- Set if an identity provider named the role at this sign-in.
    role operator_role,
    network inet,
    user_agent text,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    idle_expires_at timestamptz(6) NOT NULL,
    expires_at timestamptz(6) NOT NULL,
    ended_at timestamptz(6),
    CONSTRAINT operator_session_pkey PRIMARY KEY (id),
    CONSTRAINT operator_session_user_agent_is_short CHECK (char_length(user_agent) <= 200),
    CONSTRAINT operator_session_operator_id_fkey
      FOREIGN KEY (operator_id) REFERENCES operator(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX operator_session_token_sha256_key ON operator_session (token_sha256);
CREATE INDEX operator_session_operator_id_idx ON operator_session (operator_id);
CREATE INDEX operator_session_expires_at_idx ON operator_session (expires_at);

-- A link that signs in an operator once.
CREATE TABLE operator_link (
    token_sha256 bytea NOT NULL,
    operator_id uuid NOT NULL,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz(6) NOT NULL,
    used_at timestamptz(6),
    CONSTRAINT operator_link_pkey PRIMARY KEY (token_sha256),
    CONSTRAINT operator_link_operator_id_fkey
      FOREIGN KEY (operator_id) REFERENCES operator(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX operator_link_operator_id_created_at_idx ON operator_link (operator_id, created_at);
CREATE INDEX operator_link_expires_at_idx ON operator_link (expires_at);

-- A key of the operator's API.
CREATE TABLE management_key (
    id uuid NOT NULL,
    name text NOT NULL,
    hint text NOT NULL,
    secret_sha256 bytea NOT NULL,
    role operator_role NOT NULL,
    -- Verbs or groups of them; null: all that the role may use.
    scopes text[],
    created_by text NOT NULL,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz(6) NOT NULL,
    revoked_at timestamptz(6),
    CONSTRAINT management_key_pkey PRIMARY KEY (id),
    CONSTRAINT management_key_is_named CHECK (char_length(name) BETWEEN 1 AND 100),
    CONSTRAINT management_key_scopes CHECK (cardinality(scopes) BETWEEN 1 AND 50)
);
CREATE UNIQUE INDEX management_key_secret_sha256_key ON management_key (secret_sha256);

-- How the operator reached the service; the network of those who came over the API.
ALTER TABLE operator_action
  ADD COLUMN via operator_channel NOT NULL DEFAULT 'shell',
  ADD COLUMN network inet;

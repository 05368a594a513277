CREATE TABLE credit_note (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    number text NOT NULL,
    year integer NOT NULL,
    sequence integer NOT NULL,
    invoice_number text,
    receipt_number text,
    month date,
    reference text,
    reason text NOT NULL,
    amount_nano bigint NOT NULL,
    account_name text NOT NULL,
    account_email text NOT NULL,
    buyer jsonb,
    seller jsonb,
    issued_at timestamptz(6) NOT NULL,
    CONSTRAINT credit_note_pkey PRIMARY KEY (id),
    CONSTRAINT credit_note_sequence_from_one CHECK (sequence >= 1),
    CONSTRAINT credit_note_is_of_one CHECK (
      CASE WHEN receipt_number IS NULL
        THEN invoice_number IS NOT NULL AND month IS NOT NULL AND reference IS NULL AND amount_nano > 0
        ELSE invoice_number IS NULL AND month IS NULL AND reference IS NOT NULL AND amount_nano <> 0
      END
    ),
    CONSTRAINT credit_note_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX credit_note_number_key ON credit_note (number);
CREATE UNIQUE INDEX credit_note_year_sequence_key ON credit_note (year, sequence);
CREATE UNIQUE INDEX credit_note_reference_key ON credit_note (reference);
CREATE UNIQUE INDEX credit_note_invoice_number_month_key ON credit_note (invoice_number, month);
CREATE INDEX credit_note_account_id_year_sequence_idx ON credit_note (account_id, year, sequence);

CREATE TABLE credit_note_line (
    credit_note_id uuid NOT NULL,
    position integer NOT NULL,
    model_id text NOT NULL,
    requests bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL DEFAULT 0,
    cache_write_tokens bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0,
    amount_nano bigint NOT NULL,
    CONSTRAINT credit_note_line_pkey PRIMARY KEY (credit_note_id, position),
    CONSTRAINT credit_note_line_amount_not_negative CHECK (amount_nano >= 0),
    CONSTRAINT credit_note_line_credit_note_id_fkey
      FOREIGN KEY (credit_note_id) REFERENCES credit_note(id) ON UPDATE CASCADE ON DELETE RESTRICT
);

CREATE TABLE credit_note_year (
    year integer NOT NULL,
    last_sequence integer NOT NULL,
    CONSTRAINT credit_note_year_pkey PRIMARY KEY (year)
);

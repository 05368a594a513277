CREATE TABLE receipt (
    funding_id uuid NOT NULL,
    account_id uuid NOT NULL,
    number text NOT NULL,
    year integer NOT NULL,
    sequence integer NOT NULL,
    account_name text NOT NULL,
    account_email text NOT NULL,
    buyer jsonb,
    seller jsonb,
    issued_at timestamptz(6) NOT NULL,
    CONSTRAINT receipt_pkey PRIMARY KEY (funding_id),
    CONSTRAINT receipt_sequence_from_one CHECK (sequence >= 1),
    CONSTRAINT receipt_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX receipt_number_key ON receipt (number);
CREATE UNIQUE INDEX receipt_year_sequence_key ON receipt (year, sequence);
CREATE INDEX receipt_account_id_year_sequence_idx ON receipt (account_id, year, sequence);

CREATE TABLE receipt_year (
    year integer NOT NULL,
    last_sequence integer NOT NULL,
    CONSTRAINT receipt_year_pkey PRIMARY KEY (year)
);

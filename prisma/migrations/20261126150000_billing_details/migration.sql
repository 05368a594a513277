CREATE TABLE billing_details (
    account_id uuid NOT NULL,
    legal_name text,
    address text,
    country text,
    tax_id text,
    purchase_order text,
    billing_email text,
    CONSTRAINT billing_details_pkey PRIMARY KEY (account_id),
    CONSTRAINT billing_details_lengths CHECK (
      length(legal_name) <= 200 AND length(address) <= 500 AND length(tax_id) <= 50 AND length(purchase_order) <= 100
      AND length(billing_email) <= 254
    ),
    CONSTRAINT billing_details_country_is_a_code CHECK (country ~ '^[A-Z]{2}$'),
    CONSTRAINT billing_details_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT
);

-- The operator, in one row.
CREATE TABLE seller (
    id integer NOT NULL,
    legal_name text NOT NULL,
    address text,
    country text,
    tax_id text,
    billing_email text,
    CONSTRAINT seller_pkey PRIMARY KEY (id),
    CONSTRAINT seller_is_one CHECK (id = 1)
);

ALTER TABLE invoice ADD COLUMN buyer jsonb, ADD COLUMN seller jsonb;

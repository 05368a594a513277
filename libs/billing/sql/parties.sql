-- What documents name of the account beside its name and e-mail address, as it is now: a document keeps it. NULL if
-- nothing was given.
CREATE OR REPLACE FUNCTION billing_buyer(p_account_id uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(d) - 'account_id' FROM billing_details d WHERE d.account_id = p_account_id
$$;

-- The operator, likewise.
CREATE OR REPLACE FUNCTION billing_seller() RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(s) - 'id' FROM seller s
$$;

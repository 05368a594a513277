-- Removes a person from an account: their name, their address and that of their company, every credential, and the
-- names that they gave to keys and devices. The account itself stays, suspended, because the books are about it; so
-- do invoices, receipts and credit notes as they were issued. Events of credentials are deleted after their retention.
CREATE OR REPLACE FUNCTION account_erase(p_account_id uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM mail_end_links(p_account_id);
  PERFORM payment_remove_card(p_account_id);
  DELETE FROM webhook_endpoint WHERE account_id = p_account_id;
  DELETE FROM webhook_event WHERE account_id = p_account_id;
  UPDATE api_key SET name = 'erased', allowed_origins = NULL, revoked_at = coalesce(revoked_at, now())
  WHERE account_id = p_account_id;
  UPDATE account_session SET user_agent = NULL, revoked_at = coalesce(revoked_at, now()) WHERE account_id = p_account_id;
  UPDATE device SET name = 'erased', revoked_at = coalesce(revoked_at, now()) WHERE account_id = p_account_id;
  DELETE FROM sign_in_link WHERE account_id = p_account_id;
  DELETE FROM billing_details WHERE account_id = p_account_id;
  UPDATE account SET name = 'erased', email = 'erased-' || id || '@erased.invalid', invite_status = 'suspended',
                     low_balance_nano = NULL, low_balance_mailed_at = NULL, low_balance_mailed_nano = NULL
  WHERE id = p_account_id;
END $$;

-- The account service shows invoices, the worker issues them.
GRANT SELECT ON invoice, invoice_line TO farebox_account;
GRANT SELECT ON invoice, invoice_line, invoice_month, invoice_year TO farebox_worker;
GRANT EXECUTE ON FUNCTION invoice_issue TO farebox_worker;

-- The account service opens checkouts, and passes on what Stripe tells. What becomes of a payment is the function's to say.
GRANT SELECT, INSERT (id, account_id, amount_nano), UPDATE (stripe_session_id) ON checkout TO farebox_account;
GRANT EXECUTE ON FUNCTION payment_apply_event TO farebox_account;

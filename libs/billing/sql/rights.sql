-- The account service shows invoices, the worker issues them.
GRANT SELECT ON invoice, invoice_line TO farebox_account;
GRANT SELECT ON invoice, invoice_line, invoice_month, invoice_year TO farebox_worker;
GRANT EXECUTE ON FUNCTION invoice_issue TO farebox_worker;

-- The account service opens checkouts and records the events that Stripe delivers. It moves no money.
GRANT SELECT, INSERT (id, account_id, amount_nano), UPDATE (stripe_session_id) ON checkout TO farebox_account;
GRANT EXECUTE ON FUNCTION payment_note_event TO farebox_account;
-- The worker fetches the noted events from Stripe and applies them. Only the function decides the outcome of
-- a payment.
GRANT SELECT, UPDATE (attempts, due_at), DELETE ON payment_notice TO farebox_worker;
GRANT EXECUTE ON FUNCTION payment_apply_event TO farebox_worker;

-- The account service shows invoices, the worker issues them.
GRANT SELECT ON invoice, invoice_line TO farebox_account;
GRANT SELECT ON invoice, invoice_line, invoice_month, invoice_year TO farebox_worker;
GRANT EXECUTE ON FUNCTION invoice_issue TO farebox_worker;

-- The account service opens checkouts, and notes which events Stripe has delivered. It moves no money.
GRANT SELECT, INSERT (id, account_id, amount_nano), UPDATE (stripe_session_id) ON checkout TO farebox_account;
GRANT EXECUTE ON FUNCTION payment_note_event TO farebox_account;
-- The worker asks Stripe for what was noted, and applies what Stripe says. What becomes of a payment is the function's to say.
GRANT SELECT, UPDATE (attempts, due_at), DELETE ON payment_notice TO farebox_worker;
GRANT EXECUTE ON FUNCTION payment_apply_event TO farebox_worker;

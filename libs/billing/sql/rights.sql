-- The account service shows invoices, the worker issues them.
GRANT SELECT ON invoice, invoice_line, receipt, credit_note, credit_note_line TO farebox_account;
GRANT SELECT ON invoice, invoice_line, invoice_month, invoice_year TO farebox_worker;
GRANT EXECUTE ON FUNCTION invoice_issue TO farebox_worker;

-- The account service opens checkouts and records the events that Stripe delivers. It moves no money.
GRANT SELECT, INSERT (id, account_id, amount_nano), UPDATE (stripe_session_id) ON checkout TO farebox_account;
GRANT EXECUTE ON FUNCTION payment_note_event TO farebox_account;
-- The worker fetches the noted events from Stripe and applies them. Only the function decides the outcome of
-- a payment.
GRANT SELECT, UPDATE (attempts, due_at), DELETE ON payment_notice TO farebox_worker;
GRANT EXECUTE ON FUNCTION payment_apply_event TO farebox_worker;

-- The account service opens pages for a card, and shows the card and its automatic top-up to their owner. It saves no
-- card and begins no payment: a stolen login can only order top-ups of the account that owns the card.
GRANT SELECT, INSERT (id, account_id), UPDATE (stripe_session_id) ON card_setup TO farebox_account;
GRANT SELECT (account_id, stripe_customer_id, brand, last_four, expiry_month, expiry_year) ON saved_card TO farebox_account;
GRANT SELECT ON auto_top_up TO farebox_account;
GRANT SELECT (id, account_id, amount_nano, state, failure, created_at, ended_at) ON top_up_attempt TO farebox_account;
GRANT EXECUTE ON FUNCTION payment_remove_card, top_up_switch_on, top_up_end, top_up_month_nano TO farebox_account;
-- The worker saves the cards that Stripe returns, and pays automatic top-ups with them.
GRANT SELECT ON saved_card, auto_top_up, top_up_attempt TO farebox_worker;
GRANT SELECT, UPDATE (attempts, due_at), DELETE ON card_removal TO farebox_worker;
GRANT EXECUTE ON FUNCTION
  payment_save_card, payment_update_card, payment_drop_card, top_up_begin, top_up_claim, top_up_is_wanted, top_up_wait, top_up_fail
TO farebox_worker;

-- It redeems vouchers that an operator has made, and sees none. It knows only the codes that customers enter.
GRANT EXECUTE ON FUNCTION voucher_redeem TO farebox_account;

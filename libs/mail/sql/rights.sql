-- The worker takes from the outbox and notes what became of a mail, and reads what a mail about a credential is about. The
-- account service can ask for one mail alone, the link to sign in, and end it. Those about credentials follow from what it notes.
GRANT SELECT ON outbox, mail TO farebox_worker;
GRANT UPDATE (account_id, address, ended_at, outcome) ON mail TO farebox_worker;
GRANT SELECT (id, at, network, user_agent) ON credential_event TO farebox_worker;
GRANT EXECUTE ON FUNCTION outbox_take, mail_post_again, mail_purge, mail_find_low_balances TO farebox_worker;
GRANT EXECUTE ON FUNCTION mail_ask_sign_in, mail_end_links TO farebox_account;

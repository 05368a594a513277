-- The worker takes from the outbox, records the outcome of a mail, and reads the credential that a mail is
-- about. The account service can request and cancel only one kind of mail, the sign-in link. Mails about
-- credentials follow from the events that it records.
GRANT SELECT ON outbox, mail TO farebox_worker;
GRANT UPDATE (account_id, address, ended_at, outcome) ON mail TO farebox_worker;
GRANT SELECT (id, at, network, user_agent) ON credential_event TO farebox_worker;
GRANT EXECUTE ON FUNCTION outbox_take, mail_post_again, mail_purge, mail_find_low_balances TO farebox_worker;
GRANT EXECUTE ON FUNCTION mail_make_operator_link TO farebox_worker;
GRANT EXECUTE ON FUNCTION mail_ask_operator_link TO farebox_operator;
GRANT EXECUTE ON FUNCTION mail_ask_link, mail_ask_sign_in, mail_end_links TO farebox_account;

-- A gateway reads a kept answer by functions, which want its claim named whole: account, API key, Idempotency-Key and hold.
REVOKE SELECT ON "kept_answer", "kept_answer_part", "kept_answer_hour", "idempotency_claim" FROM farebox_app;

-- For gateways of the version before, word for word what they ask. This goes one release later.
GRANT SELECT ("api_key_id", "key", "hold_id", "state", "answer") ON "idempotency_claim" TO farebox_app;

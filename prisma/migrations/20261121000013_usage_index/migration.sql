-- Alone in its file: an index is made beside running charges only outside of a transaction.
CREATE INDEX CONCURRENTLY "usage_record_of_account" ON "usage_record" ("account_id", "created_at", "id")
  INCLUDE ("api_key_id", "model_id");

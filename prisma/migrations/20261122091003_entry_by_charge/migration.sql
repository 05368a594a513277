CREATE INDEX CONCURRENTLY "ledger_entry_refunded_entry_id_idx" ON "ledger_entry" ("refunded_entry_id");

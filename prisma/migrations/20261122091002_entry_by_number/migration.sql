-- Not unique: a partitioned table has no unique index without the column that it is partitioned by. See check_ledger_chain.
CREATE INDEX CONCURRENTLY "ledger_entry_account_id_seq_idx" ON "ledger_entry" ("account_id", "seq");

-- Reads the tables, and has nobody wait. What is proven here is not read again when they become partitions.
ALTER TABLE "ledger_entry" VALIDATE CONSTRAINT "ledger_entry_bound";
ALTER TABLE "usage_record" VALIDATE CONSTRAINT "usage_record_bound";

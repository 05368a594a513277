-- Takes that of the first partition as its part, and reads the partitions of the months ahead, which are empty or nearly so.
CREATE INDEX ledger_entry_refunds_idx ON ledger_entry (refunded_entry_id) WHERE refunded_entry_id IS NOT NULL;

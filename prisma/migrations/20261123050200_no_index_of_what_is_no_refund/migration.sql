-- Of a table of partitions, an index cannot be dropped CONCURRENTLY.
DROP INDEX ledger_entry_refunded_entry_id_idx;

-- Refunds alone are found by the charge that they give back: an index of all entries is written for each charge, with a null.
-- A table of partitions has no index made beside writers. This one is made of the partition that has the entries so far.
CREATE INDEX CONCURRENTLY ledger_entry_refunds_idx ON farebox_partition.ledger_entry_first (refunded_entry_id)
  WHERE refunded_entry_id IS NOT NULL;

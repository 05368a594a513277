-- The trigger on new entries (check_ledger_chain) keeps these rules: as CHECKs, which are made ready anew in each statement,
-- they took a lone charge longer than to write its entry.
ALTER TABLE ledger_entry
  DROP CONSTRAINT ledger_entry_amount_positive,
  DROP CONSTRAINT ledger_entry_balance_not_negative,
  DROP CONSTRAINT ledger_entry_books_fit_kind,
  DROP CONSTRAINT ledger_entry_refund_names_its_charge,
  DROP CONSTRAINT ledger_entry_seq_positive;

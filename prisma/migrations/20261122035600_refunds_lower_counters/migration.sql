-- A refund lowers the day and the month of its charge from now on: those that were made before do so here. Their accounts
-- are locked first, and in the order in which they always are.
SELECT count(*) FROM (
  SELECT FROM account_funds WHERE account_id IN (SELECT account_id FROM ledger_entry WHERE kind = 'refund')
  ORDER BY account_id FOR NO KEY UPDATE
) locked;
UPDATE account_day d SET spent_nano = d.spent_nano - r.refunded_nano
FROM (SELECT u.account_id, u.day, sum(e.amount_nano) AS refunded_nano
      FROM ledger_entry e JOIN usage_record u ON u.id = e.refunded_entry_id
      WHERE e.kind = 'refund' GROUP BY u.account_id, u.day) r
WHERE d.account_id = r.account_id AND d.day = r.day;
UPDATE api_key_month m SET spent_nano = m.spent_nano - r.refunded_nano
FROM (SELECT u.api_key_id, date_trunc('month', u.day)::date AS month, sum(e.amount_nano) AS refunded_nano
      FROM ledger_entry e JOIN usage_record u ON u.id = e.refunded_entry_id
      WHERE e.kind = 'refund' GROUP BY u.api_key_id, date_trunc('month', u.day)::date) r
WHERE m.api_key_id = r.api_key_id AND m.month = r.month;
-- What it says of days and months counts without refunds.
DELETE FROM ledger_checkpoint;

-- The ledger's permissions. No service writes to its tables. Services call functions, which check everything and run
-- with the rights of their owner. Functions that are granted to nobody are parts of those, or for an operator: a
-- stolen login of a gateway or an account service cannot create money. The worker, which customers do not reach,
-- applies card payments (libs/billing).

-- A gateway holds, charges and releases, replays answers, and opens reviews. It reads no table of the ledger.
GRANT EXECUTE ON FUNCTION
  ledger_run_batch, ledger_quote, ledger_hold_states,
  ledger_renew_lease, ledger_barred_holds, ledger_end_lease, ledger_refund_lost, ledger_refund_withheld, ledger_count_unpaid,
  ledger_open_charge_review, ledger_count_implausible_usage,
  ledger_stage_answer, ledger_kept_answer, ledger_kept_answer_part
TO farebox_app;
-- It records free requests, and cannot read or change the records.
GRANT INSERT ON uncharged_request TO farebox_app;

-- The account service shows an account its own data.
GRANT SELECT ON
  account_funds, account_day, api_key_month, funding, adjustment, ledger_entry, usage_record, usage_hour, usage_sum,
  usage_open_day, usage_sum_state, usage_retention, ledger_root, ledger_root_block
TO farebox_account;
GRANT SELECT ON uncharged_request TO farebox_account;
GRANT SELECT (id, account_id, api_key_id, amount_nano, model_id, price_version_id, request_id, created_at)
  ON hold TO farebox_account;
-- The part of a review that its account sees: neither who resolved it nor their note.
GRANT SELECT (id, account_id, api_key_id, model_id, price_version_id, request_id, reason, state, reserved_nano, prompt_tokens,
              completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, images, outcome, streamed, estimated, latency_ms, first_token_ms, created_at, resolved_at)
  ON billing_review TO farebox_account;
GRANT EXECUTE ON FUNCTION ledger_usage_page, ledger_usage_of_hours, ledger_seq_at, ledger_limits_of_account TO farebox_account;

-- The worker sweeps, sums, checks, purges, and resolves reviews by the operator's policy.
GRANT SELECT ON
  account_funds, account_day, api_key_month, hold, gateway_instance, funding, adjustment, reversal, ledger_entry,
  billing_review, usage_record, usage_hour, usage_sum, usage_open_day, usage_sum_state, usage_retention, sales_by_key, sales_state,
  ledger_checkpoint, ledger_checkpoint_account, ledger_checkpoint_day, ledger_checkpoint_month, ledger_check, ledger_check_round,
  abandoned_request, ledger_root, ledger_root_block
TO farebox_worker;
-- Everything in a claim except its kept answer.
GRANT SELECT (api_key_id, key, account_id, hold_id, state, created_at, expires_at) ON idempotency_claim TO farebox_worker;
GRANT EXECUTE ON FUNCTION
  ledger_sweep, ledger_purge_gateways, ledger_purge_answers, ledger_purge_kept_parts,
  ledger_open_charge_review, ledger_refund_withheld, ledger_resolve_review,
  ledger_sum_usage, ledger_sum_sales, ledger_purge_requests, ledger_purge_uncharged, ledger_purge_abandoned,
  ledger_note_verified, ledger_purge_verified, ledger_note_round, ledger_finish_round, ledger_note_check,
  ledger_partition_reach, ledger_make_partition, ledger_analyze_partitioned, ledger_retire_partition,
  ledger_seq_at, ledger_day_to_close, ledger_note_root_blocks, ledger_close_day, ledger_sign_root
TO farebox_worker;

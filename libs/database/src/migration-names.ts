/**
 * The migrations that this code needs, in order. A bundled app has no folder to look into, so they are named here;
 * a test holds the list and `prisma/migrations` together.
 */
export const MIGRATION_NAMES: readonly string[] = [
  '20261121000000_init',
  '20261121000001_ledger',
  '20261121000002_ledger_whole',
  '20261121000003_devices',
  '20261121000004_billing',
  '20261121000005_sign_in',
  '20261121000006_usage',
  '20261121000007_worker_role',
  '20261121000009_outbox',
  '20261121000010_retention',
  '20261121000011_operator',
  '20261121000012_usage_list',
  '20261121000013_usage_index',
  '20261121000014_usage_index_in_use',
  '20261122035600_refunds_lower_counters',
  '20261122035601_time_of_records',
  '20261122041700_check_rounds',
  '20261122042000_kept_answers',
  '20261122043600_least_privilege',
  '20261122044000_counted_reviews',
  '20261122044001_counted_reviews_index',
  '20261122045500_prompt_overhead',
  '20261122085911_kept_answers_by_functions',
];

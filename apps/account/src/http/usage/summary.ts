import {
  parseQuery,
  toUnixSeconds,
  usageSummaryQuery,
  type UsageBucket,
  type UsageSummary,
} from '@farebox/contracts';
import { usageByTime } from '../../use-cases/usage/report-usage';
import type { UsageClients } from '../../use-cases/usage/require-known-filter';
import { mapInTurns } from '../csv';
import type { Endpoint } from '../endpoint';
import { toRange, toTotals, TOTALS_COLUMNS } from './totals-wire';
import { USAGE_MEDIA_TYPES, usageAnswer } from './usage-answer';

/** `GET /v1/usage/summary`: totals, and a series by the hour or the day. */
export function summaryEndpoint(clients: UsageClients): Endpoint {
  return {
    method: 'GET',
    path: '/v1/usage/summary',
    body: 'none',
    produces: USAGE_MEDIA_TYPES,
    async handle({ accountId, now, query, wants }) {
      const { start, end, model, key_public_id: apiKeyId, bucket } = parseQuery(usageSummaryQuery, query);
      const report = { start, end, apiKeyId, modelId: model };
      const { range, totals, parts } = await usageByTime(accountId, clients, report, bucket, now);
      const series = await mapInTurns(parts, (step): UsageBucket => ({
        starts_at: toUnixSeconds(step.startsAt),
        ...toTotals(step),
      }));
      const body: UsageSummary = {
        object: 'usage_summary',
        bucket,
        ...toRange(range),
        totals: toTotals(totals),
        series,
      };
      const columns = [
        { name: 'starts_at', valueOf: (row: UsageBucket) => row.starts_at },
        ...TOTALS_COLUMNS,
      ];
      return usageAnswer(wants, body, { fileName: `usage-by-${bucket}.csv`, columns, rows: series });
    },
  };
}

import { parseQuery, usageByGroupQuery, type ModelUsage, type UsageByModel } from '@farebox/contracts';
import { usageByModel } from '../../use-cases/usage/report-usage';
import type { UsageClients } from '../../use-cases/usage/require-known-filter';
import type { Endpoint } from '../endpoint';
import { toRange, toTotals, TOTALS_COLUMNS } from './totals-wire';
import { USAGE_MEDIA_TYPES, usageAnswer } from './usage-answer';

const COLUMNS = [{ name: 'model', valueOf: (row: ModelUsage) => row.model }, ...TOTALS_COLUMNS];

/** `GET /v1/usage/by-model`: totals of each model. */
export function byModelEndpoint(clients: UsageClients): Endpoint {
  return {
    method: 'GET',
    path: '/v1/usage/by-model',
    body: 'none',
    produces: USAGE_MEDIA_TYPES,
    async handle({ accountId, now, query, wants }) {
      const { start, end, model, key_public_id: apiKeyId } = parseQuery(usageByGroupQuery, query);
      const report = { start, end, apiKeyId, modelId: model };
      const { range, totals, parts } = await usageByModel(accountId, clients, report, now);
      const data = parts.map((part): ModelUsage => ({ model: part.group, ...toTotals(part) }));
      const body: UsageByModel = {
        object: 'usage_by_model',
        ...toRange(range),
        totals: toTotals(totals),
        data,
      };
      return usageAnswer(wants, body, { fileName: 'usage-by-model.csv', columns: COLUMNS, rows: data });
    },
  };
}

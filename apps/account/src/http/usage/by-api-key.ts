import { parseQuery, usageByGroupQuery, type ApiKeyUsage, type UsageByApiKey } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { usageByApiKey } from '../../use-cases/usage/report-usage';
import type { UsageClients } from '../../use-cases/usage/require-known-filter';
import { statusOf } from '../api-keys/api-key-wire';
import type { Endpoint } from '../endpoint';
import { toRange, toTotals, TOTALS_COLUMNS } from './totals-wire';
import { USAGE_MEDIA_TYPES, usageAnswer } from './usage-answer';

const COLUMNS = [
  { name: 'key_public_id', valueOf: (row: ApiKeyUsage) => row.key_public_id },
  { name: 'name', valueOf: (row: ApiKeyUsage) => row.name },
  { name: 'status', valueOf: (row: ApiKeyUsage) => row.status },
  ...TOTALS_COLUMNS,
];

/** `GET /v1/usage/by-api-key`: totals of each key, revoked ones too. */
export function byApiKeyEndpoint(clients: UsageClients): Endpoint {
  return {
    method: 'GET',
    path: '/v1/usage/by-api-key',
    body: 'none',
    produces: USAGE_MEDIA_TYPES,
    async handle({ accountId, now, query, wants }) {
      const { start, end, model, key_public_id: apiKeyId } = parseQuery(usageByGroupQuery, query);
      const report = { start, end, apiKeyId, modelId: model };
      const { range, totals, parts } = await usageByApiKey(accountId, clients, report, now);
      const data = parts.map((part): ApiKeyUsage => ({
        key_public_id: toPublicId('key', part.apiKey.id),
        name: part.apiKey.name,
        status: statusOf(part.apiKey, now),
        ...toTotals(part),
      }));
      const body: UsageByApiKey = {
        object: 'usage_by_api_key',
        ...toRange(range),
        totals: toTotals(totals),
        data,
      };
      return usageAnswer(wants, body, { fileName: 'usage-by-api-key.csv', columns: COLUMNS, rows: data });
    },
  };
}

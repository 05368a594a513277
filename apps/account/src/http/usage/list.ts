import { listUsageQuery, parseQuery, type ListPage, type UsageRecord } from '@farebox/contracts';
import { listRequests } from '../../use-cases/usage/list-requests';
import type { UsageClients } from '../../use-cases/usage/require-known-filter';
import type { Endpoint } from '../endpoint';
import { nextLink } from './next-link';
import { REQUEST_COLUMNS, toUsageRecord } from './request-wire';
import { USAGE_MEDIA_TYPES, usageAnswer } from './usage-answer';

const PATH = '/v1/usage';

/** `GET /v1/usage`: the account's charged requests, newest first. As CSV, the next page is in the header `Link`. */
export function listEndpoint(clients: UsageClients): Endpoint {
  return {
    method: 'GET',
    path: PATH,
    body: 'none',
    produces: USAGE_MEDIA_TYPES,
    async handle({ accountId, query, wants }) {
      const { limit, after, start, end, model, key_public_id: apiKeyId } = parseQuery(listUsageQuery, query);
      const page = { start, end, apiKeyId, modelId: model, afterId: after, limit };
      const { records, hasMore } = await listRequests(accountId, clients, page);
      const data = records.map(toUsageRecord);
      const lastId = data.at(-1)?.id ?? null;
      const body: ListPage<UsageRecord> = {
        object: 'list',
        data,
        first_id: data[0]?.id ?? null,
        last_id: lastId,
        has_more: hasMore,
      };
      const headers = hasMore && lastId !== null ? { link: nextLink(PATH, query, lastId) } : {};
      return usageAnswer(wants, body, {
        fileName: 'usage.csv',
        columns: REQUEST_COLUMNS,
        rows: data,
        headers,
      });
    },
  };
}

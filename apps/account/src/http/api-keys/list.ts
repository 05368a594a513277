import { listApiKeysQuery, parseQuery, toListPage } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import { listApiKeys } from '../../use-cases/list-api-keys';
import type { Endpoint } from '../endpoint';
import { toApiKeyRecord } from './api-key-wire';

/** `GET /v1/api-keys`: the account's keys, newest first, revoked ones too. */
export function listEndpoint(prisma: PrismaClient): Endpoint {
  return {
    method: 'GET',
    path: '/v1/api-keys',
    body: 'none',
    async handle({ accountId, now, query }) {
      const { limit, after } = parseQuery(listApiKeysQuery, query);
      const keys = await listApiKeys(accountId, prisma, { limit, afterId: after }, now);
      const records = keys.map((key) => toApiKeyRecord(key, now));
      return { status: 200, body: toListPage(records, limit, (record) => record.key_public_id) };
    },
  };
}

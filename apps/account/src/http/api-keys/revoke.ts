import type { PrismaClient } from '@farebox/database';
import { revokeApiKey } from '../../use-cases/revoke-api-key';
import type { Endpoint } from '../endpoint';
import { readKeyPublicId, toApiKeyRecord } from './api-key-wire';

/** `DELETE /v1/api-keys/{key_public_id}`: the revoked record, again and again. */
export function revokeEndpoint(prisma: PrismaClient): Endpoint {
  return {
    method: 'DELETE',
    path: '/v1/api-keys/:key_public_id',
    body: 'none',
    async handle({ accountId, now, params }) {
      const key = await revokeApiKey(accountId, prisma, readKeyPublicId(params), now);
      return { status: 200, body: toApiKeyRecord(key, now) };
    },
  };
}

import type { PrismaClient } from '@farebox/database';
import { findOwnedApiKey } from '../../use-cases/owned-api-keys';
import type { Endpoint } from '../endpoint';
import { readKeyPublicId, toApiKeyRecord } from './api-key-wire';

/** `GET /v1/api-keys/{key_public_id}`. */
export function getEndpoint(prisma: PrismaClient): Endpoint {
  return {
    method: 'GET',
    path: '/v1/api-keys/:key_public_id',
    body: 'none',
    async handle({ accountId, now, params }) {
      const key = await findOwnedApiKey(accountId, prisma, readKeyPublicId(params), now);
      return { status: 200, body: toApiKeyRecord(key, now) };
    },
  };
}

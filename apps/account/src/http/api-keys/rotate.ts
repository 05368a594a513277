import type { KeyHasher } from '@farebox/auth';
import { parseBody, rotateApiKeyBody } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import { rotateApiKey } from '../../use-cases/rotate-api-key';
import type { Endpoint } from '../endpoint';
import { readKeyPublicId, toApiKeyWithSecret } from './api-key-wire';

/** `POST /v1/api-keys/{key_public_id}/rotate`: the same record with a new key, shown once. */
export function rotateEndpoint(clients: { prisma: PrismaClient; hasher: KeyHasher }): Endpoint {
  return {
    method: 'POST',
    path: '/v1/api-keys/:key_public_id/rotate',
    body: 'optional',
    async handle({ accountId, now, params, body = {} }) {
      const { expires_at: expiresAt } = parseBody(rotateApiKeyBody, body);
      const rotated = await rotateApiKey(accountId, clients, readKeyPublicId(params), expiresAt, now);
      return { status: 200, body: toApiKeyWithSecret(rotated, now) };
    },
  };
}

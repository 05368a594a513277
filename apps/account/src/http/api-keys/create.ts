import type { KeyHasher } from '@farebox/auth';
import { createApiKeyBody, parseBody } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import type { Pool } from 'pg';
import { createApiKey } from '../../use-cases/create-api-key';
import type { Endpoint } from '../endpoint';
import { toApiKeyWithSecret } from './api-key-wire';

/** `POST /v1/api-keys`: 201 with the record and, once, the key. */
export function createEndpoint(clients: { pool: Pool; prisma: PrismaClient; hasher: KeyHasher }): Endpoint {
  return {
    method: 'POST',
    path: '/v1/api-keys',
    body: 'required',
    async handle({ accountId, now, body }) {
      const wanted = parseBody(createApiKeyBody, body);
      const settings = {
        name: wanted.name,
        monthlySpendLimitNano: wanted.monthly_spend_limit ?? null,
        expiresAt: wanted.expires_at ?? null,
        modelPolicy: wanted.model_policy ?? null,
      };
      return {
        status: 201,
        body: toApiKeyWithSecret(await createApiKey(accountId, clients, settings, now), now),
      };
    },
  };
}

import { parseBody, updateApiKeyBody } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import type { Pool } from 'pg';
import { updateApiKey } from '../../use-cases/update-api-key';
import type { Endpoint } from '../endpoint';
import { readKeyPublicId, toApiKeyRecord } from './api-key-wire';

/** `PATCH /v1/api-keys/{key_public_id}`: changes what is named; `null` takes a setting away. */
export function updateEndpoint(clients: { pool: Pool; prisma: PrismaClient }): Endpoint {
  return {
    method: 'PATCH',
    path: '/v1/api-keys/:key_public_id',
    body: 'required',
    async handle({ accountId, now, params, body }) {
      const wanted = parseBody(updateApiKeyBody, body);
      const update = {
        name: wanted.name,
        monthlySpendLimitNano: wanted.monthly_spend_limit,
        expiresAt: wanted.expires_at,
        modelPolicy: wanted.model_policy,
      };
      const key = await updateApiKey(accountId, clients, readKeyPublicId(params), update, now);
      return { status: 200, body: toApiKeyRecord(key, now) };
    },
  };
}

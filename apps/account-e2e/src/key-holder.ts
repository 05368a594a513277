import { apiKeyRecord, apiKeyWithSecret, type ApiKeyRecord, type ApiKeyWithSecret } from '@farebox/contracts';
import type { Customer } from './account-stand';
import type { Received } from './http-client';

/** What a customer does with his keys. Every answer is held against its schema. */
export interface KeyHolder {
  create: (body?: object) => Promise<ApiKeyWithSecret>;
  get: (keyPublicId: string) => Promise<ApiKeyRecord>;
  update: (keyPublicId: string, body: object | undefined) => Promise<Received>;
  rotate: (keyPublicId: string, body?: object) => Promise<Received>;
  revoke: (keyPublicId: string) => Promise<Received>;
}

export function keyHolder({ send }: Customer): KeyHolder {
  return {
    async create(body = { name: 'laptop' }) {
      const answer = await send('POST', '/v1/api-keys', { body });
      expect(answer.status).toBe(201);
      return apiKeyWithSecret.parse(answer.json);
    },
    async get(keyPublicId) {
      const answer = await send('GET', `/v1/api-keys/${keyPublicId}`);
      expect(answer.status).toBe(200);
      return apiKeyRecord.parse(answer.json);
    },
    update: (keyPublicId, body) =>
      send('PATCH', `/v1/api-keys/${keyPublicId}`, body === undefined ? {} : { body }),
    rotate: (keyPublicId, body) =>
      send('POST', `/v1/api-keys/${keyPublicId}/rotate`, body === undefined ? {} : { body }),
    revoke: (keyPublicId) => send('DELETE', `/v1/api-keys/${keyPublicId}`),
  };
}

/** The record as every other answer shows it. */
export function withoutSecret({ key, ...record }: ApiKeyWithSecret): ApiKeyRecord {
  expect(key).toMatch(/^ak-/);
  return record;
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

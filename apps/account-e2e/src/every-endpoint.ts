import { toPublicId, uuidV7 } from '@farebox/ids';

const NOBODYS_KEY = toPublicId('key', uuidV7());

/** Every endpoint that takes a session, with a path that it serves. */
export const EVERY_ENDPOINT: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/v1/api-keys'],
  ['GET', '/v1/api-keys'],
  ['GET', `/v1/api-keys/${NOBODYS_KEY}`],
  ['POST', `/v1/api-keys/${NOBODYS_KEY}/rotate`],
  ['DELETE', `/v1/api-keys/${NOBODYS_KEY}`],
  ['GET', '/v1/billing/balance'],
  ['GET', '/v1/billing/transactions'],
];

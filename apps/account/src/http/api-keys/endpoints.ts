import type { KeyHasher } from '@farebox/auth';
import type { PrismaClient } from '@farebox/database';
import type { Pool } from 'pg';
import type { Endpoint } from '../endpoint';
import { createEndpoint } from './create';
import { getEndpoint } from './get';
import { listEndpoint } from './list';
import { revokeEndpoint } from './revoke';
import { rotateEndpoint } from './rotate';
import { updateEndpoint } from './update';

export function apiKeyEndpoints(clients: {
  pool: Pool;
  prisma: PrismaClient;
  hasher: KeyHasher;
}): Endpoint[] {
  return [
    createEndpoint(clients),
    listEndpoint(clients.prisma),
    getEndpoint(clients.prisma),
    updateEndpoint(clients),
    rotateEndpoint(clients),
    revokeEndpoint(clients.prisma),
  ];
}

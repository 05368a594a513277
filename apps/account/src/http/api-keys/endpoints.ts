import type { KeyHasher } from '@farebox/auth';
import type { PrismaClient } from '@farebox/database';
import type { Endpoint } from '../endpoint';
import { createEndpoint } from './create';
import { getEndpoint } from './get';
import { listEndpoint } from './list';
import { revokeEndpoint } from './revoke';
import { rotateEndpoint } from './rotate';

export function apiKeyEndpoints(clients: { prisma: PrismaClient; hasher: KeyHasher }): Endpoint[] {
  return [
    createEndpoint(clients),
    listEndpoint(clients.prisma),
    getEndpoint(clients.prisma),
    rotateEndpoint(clients),
    revokeEndpoint(clients.prisma),
  ];
}

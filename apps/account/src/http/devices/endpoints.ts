import type { PrismaClient } from '@farebox/database';
import type { Pool } from 'pg';
import type { Endpoint } from '../endpoint';
import { heartbeatEndpoint } from './heartbeat';
import { listEndpoint } from './list';
import { registerEndpoint } from './register';
import { renameEndpoint } from './rename';
import { revokeEndpoint } from './revoke';
import { sessionEndpoint } from './session';

export function deviceEndpoints(clients: { pool: Pool; prisma: PrismaClient }): Endpoint[] {
  return [
    listEndpoint(clients.prisma),
    registerEndpoint(clients.prisma),
    heartbeatEndpoint(clients.prisma),
    sessionEndpoint(clients),
    renameEndpoint(clients.prisma),
    revokeEndpoint(clients.prisma),
  ];
}

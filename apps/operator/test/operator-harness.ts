import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfig } from '../src/config';
import { compose } from '../src/compose';
import { createLogger } from '@farebox/observability';
import { createManagementKey, createOperatorLink, putOperator, type OperatorRole } from '@farebox/operators';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';

/** The operator service in this process, with its own database and only the rights of its login. */
export interface OperatorHarness {
  db: TestDatabase;
  url: string;
  /** Creates a key of this role. */
  givenKey(role: OperatorRole, scopes?: readonly string[]): Promise<string>;
  /** Adds a person and signs them in. Returns their cookie. */
  givenSession(email: string, role: OperatorRole): Promise<string>;
  /** A new link of a person who was added. */
  givenLink(email: string, role: OperatorRole): Promise<string>;
  close(): Promise<void>;
}

const TOMORROW_MS = 86_400_000;

interface HarnessOptions {
  /** By default any free one. */
  port?: number;
  /** In addition to what the service needs. */
  environment?: Record<string, string>;
}

export async function openOperatorHarness({
  port = 0,
  environment = {},
}: HarnessOptions = {}): Promise<OperatorHarness> {
  const db = await createTestDatabase();
  const { config } = readConfig({
    DATABASE_URL: db.operatorUrl,
    FAREBOX_KEY_PEPPERS: `1:${'5a'.repeat(32)}`,
    FAREBOX_WEBHOOK_KEYS: `1:${'7c'.repeat(32)}`,
    ...environment,
  });
  const log = createLogger({ service: 'operator', level: 'silent' });
  const service = await compose(config, log);
  const server = createServer(service.app);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

  const givenLink = async (email: string, role: OperatorRole): Promise<string> => {
    const { operator } = await putOperator(db.pool, { email, role });
    return (await createOperatorLink(db.pool, operator.id)).token;
  };
  return {
    db,
    url,
    async givenKey(role, scopes) {
      const { secret } = await createManagementKey(db.pool, {
        ...{ name: `the ${role}`, role, scopes: scopes ?? null, createdBy: 'ada@example.com' },
        expiresAt: new Date(Date.now() + TOMORROW_MS),
      });
      return secret;
    },
    givenLink,
    async givenSession(email, role) {
      const response = await submitLink(url, await givenLink(email, role));
      expect(response.status).toBe(303);
      return cookieOf(response);
    },
    async close() {
      await closeServer(server);
      await service.close();
      await db.drop();
    },
  };
}

/** Presses the button of a link's page. */
export function submitLink(url: string, token: string, headers: Record<string, string> = { origin: url }) {
  return fetch(`${url}/operator/sessions`, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams({ token }),
  });
}

/** The cookie that a response sets, as a browser sends it. */
export function cookieOf(response: Response): string {
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

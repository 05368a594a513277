import { createLogger, quietTelemetry } from '@farebox/observability';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import pg from 'pg';
import { sessionEnder } from './session-ender';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

it('ends a session that has lifted its limits, once, with an error in the log and a count by the service', async () => {
  const thief = new pg.Client({ connectionString: db.serviceUrl });
  const lost = new Promise((resolve) => thief.on('error', resolve));
  await thief.connect();
  await thief.query(
    'SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT 1 FROM _prisma_migrations',
  );
  await db.pool.query('SELECT pg_sleep(0.05)');

  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });
  const { metrics } = quietTelemetry();
  const run = sessionEnder({ pool: db.workerPool, metrics, log, longestMs: 10 });
  expect(await metrics.text()).toContain('farebox_overlong_sessions_total{login_of="gateway"} 0');

  await run();
  await lost;
  await run();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /"level":"error".*"event":"session_ended","login":"farebox_test_service","duration_ms":\d+/,
  );
  expect(await metrics.text()).toContain('farebox_overlong_sessions_total{login_of="gateway"} 1');
});

import { createLogger } from '@farebox/observability';
import { OPERATIONS } from '@farebox/api/operations';
import { createTestDatabase } from '@farebox/testing';
import { compose } from './compose';
import { readConfig } from './config';

/** Health checks are served before routing. */
const BEFORE_ROUTES = ['GET /healthz', 'GET /readyz'];

const silent = createLogger({ service: 'account', level: 'silent', destination: { write: () => undefined } });

it('every route is documented, and every documented operation is served', async () => {
  const database = await createTestDatabase();
  const { config } = readConfig({
    DATABASE_URL: database.accountUrl,
    FAREBOX_KEY_PEPPERS: `1:${'5a'.repeat(32)}`,
    FAREBOX_WEBHOOK_KEYS: `1:${'5a'.repeat(32)}`,
    FAREBOX_STRIPE_SECRET_KEY: 'sk_test_1',
    FAREBOX_STRIPE_WEBHOOK_SECRET: 'whsec_1',
  });
  const account = await compose(config, silent);
  const served = account.routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  await account.close();
  await database.drop();

  const documented = OPERATIONS.filter(({ services }) => services.includes('account')).map(
    ({ method, path }) => `${method} ${path}`,
  );
  expect([...served, ...BEFORE_ROUTES].sort()).toEqual(documented.sort());
});

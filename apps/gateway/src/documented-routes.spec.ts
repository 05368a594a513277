import { OPERATIONS } from '@farebox/api/operations';
import { ROUTES } from './app';

/** Health checks are served before the routes exist. */
const BEFORE_ROUTES = ['GET /healthz', 'GET /readyz'];

it('every route is documented, and every documented operation is served', () => {
  const served = ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/[:*](\w+)/g, '{$1}')}`);
  const documented = OPERATIONS.filter(({ services }) => services.includes('gateway')).map(
    ({ method, path }) => `${method} ${path}`,
  );
  expect([...served, ...BEFORE_ROUTES].sort()).toEqual(documented.sort());
});

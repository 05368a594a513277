import { ApiError } from '@farebox/errors';
import { exportTransactions } from './exports';
import type { Sources } from './sources';

const sourcesWith = (entries: number) =>
  ({
    pool: { query: () => Promise.resolve({ rows: [{ all: String(entries), uncommon: '0' }] }) },
  }) as unknown as Sources;
const now = new Date('2026-11-21T12:00:00Z');

it('refuses an export of too many lines before the first of them', async () => {
  await expect(exportTransactions('a', sourcesWith(100_000), {}, now)).resolves.toBeDefined();
  const refused = exportTransactions('a', sourcesWith(100_001), {}, now);
  await expect(refused).rejects.toBeInstanceOf(ApiError);
  await expect(refused).rejects.toMatchObject({ code: 'invalid_request_error', param: 'start' });
});

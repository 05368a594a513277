import { join } from 'node:path';
import { bytesLeftOf } from '@farebox/testing';

it('leaves nothing of charged requests for a full collection of garbage', async () => {
  const left = await bytesLeftOf(join(__dirname, '../../test/charged-requests.ts'));
  // Of 64 MB. Some of the requests are running during each collection.
  expect(left).toBeLessThan(12_000_000);
});

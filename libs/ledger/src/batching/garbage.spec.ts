import { join } from 'node:path';
import { bytesLeftOf } from '@farebox/testing';

it('keeps no charged request through a full garbage collection', async () => {
  const left = await bytesLeftOf(join(__dirname, '../../test/charged-requests.ts'));
  // Part of 64 MB. Some of the requests are running during each collection.
  expect(left).toBeLessThan(12_000_000);
});

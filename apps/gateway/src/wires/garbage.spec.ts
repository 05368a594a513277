import { join } from 'node:path';
import { bytesLeftOf } from '@farebox/testing';

it('minor collections free the requests of all wires', async () => {
  const left = await bytesLeftOf(join(__dirname, '../../test/read-requests.ts'));
  // Of 40 MB; 6 in Node 20, and 1 in Node 24.
  expect(left).toBeLessThan(10_000_000);
});

import { randomInt } from 'node:crypto';
import { CHANGE_KINDS, REDIS_STATES } from './changes';
import { runRevokeTest, streamsAcross, toText } from './run-revoke-test';

it('rights taken from a key end on every gateway with the answer, whatever the state of Redis', async () => {
  const report = await runRevokeTest({
    seed: process.env['FAREBOX_TEST_SEED'] ?? String(randomInt(1_000_000)),
    rounds: 40,
    gateways: 4,
    clients: 8,
    say: () => undefined,
  });
  process.stdout.write(`${toText(report)}\n`);
  expect(report.findings).toEqual([]);
  expect(new Set(report.rounds.map(({ kind }) => kind))).toEqual(new Set(CHANGE_KINDS));
  expect(new Set(report.rounds.map(({ redis }) => redis))).toEqual(new Set(REDIS_STATES));
  expect(report.mustBeRefused).toBeGreaterThan(40 * 4);
  expect(streamsAcross(report)).toBeGreaterThan(0);
});

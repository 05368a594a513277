import { tallyOf, toText } from './tally';

const completion = { kind: 'completion', outcome: 'answered', tookMs: 10 };

it('counts each kind of failure, and what was answered late', () => {
  const tally = tallyOf([
    completion,
    { ...completion, tookMs: 3_001 },
    { kind: 'stream', outcome: 'answered', tookMs: 10_000 },
    { kind: 'balance', outcome: '503 service_unavailable', tookMs: 9_000 },
    { kind: 'balance', outcome: '503 service_unavailable', tookMs: 1 },
    { kind: 'stream', outcome: 'cut', tookMs: 500 },
  ]);
  expect(tally).toMatchObject({ requests: 6, slow: 1 });
  expect(toText(tally)).toBe('2 × 503 service_unavailable (balance), 1 × cut (stream)');
});

it('says that nothing failed', () => {
  expect(toText(tallyOf([completion]))).toBe('none');
});

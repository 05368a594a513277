import { anAttempt, answered } from '../../test/evidence-fixture';
import type { Attempt, ClientResult } from '../../test/chat-client';
import type { Books } from '../audit/evidence';
import { findingsOf, outagesOf, toJson, toText, type FailoverReport, type Fault } from './report';

const UNAVAILABLE: ClientResult = { kind: 'refused', status: 503, code: 'service_unavailable' };
const BOOKS: Books = { charges: [], reviews: [], heldRequestIds: [], balanceNano: 0n, heldNano: 0n };

const aFault = (more: Partial<Fault> = {}): Fault => ({
  ...{ node: 'node-1', primary: 'node-2', fromMs: 1_000, goneAtMs: 1_010 },
  ...{ silentGateways: [], standbyAfterMs: 9_000 },
  ...more,
});
const at = (startedAtMs: number, endedAtMs: number, result: ClientResult): Attempt => ({
  ...anAttempt(result),
  ...{ startedAtMs, endedAtMs },
});
const aReport = (more: Partial<FailoverReport>): FailoverReport => ({
  options: { seed: '7', fault: 'primary-killed', ttlSeconds: 20, gateways: 2, clients: 16 },
  ...{ faults: [aFault()], attempts: [at(1_020, 19_500, answered())], books: BOOKS, findings: [] },
  ...more,
});

it('counts the seconds from the fault to the first answer of a request that was sent after it', () => {
  const attempts = [
    at(1_005, 1_100, answered()),
    at(1_020, 1_030, UNAVAILABLE),
    at(19_000, 19_600, answered()),
    at(19_100, 19_500, answered()),
  ];
  expect(outagesOf([aFault()], attempts)).toMatchObject([
    { servesAfterMs: 18_500, failures: [['refused, 503 service_unavailable', 1]] },
  ]);
  expect(outagesOf([aFault()], attempts.slice(0, 2))).toMatchObject([{ servesAfterMs: undefined }]);
});

it('assigns each failure to the fault before it, and takes no part of the load for one', () => {
  const attempts = [
    at(900, 999, UNAVAILABLE),
    at(1_100, 1_200, UNAVAILABLE),
    at(1_100, 5_100, UNAVAILABLE),
    at(5_200, 5_300, { kind: 'hung_up', text: '' }),
    at(5_200, 5_300, answered({ replayed: true })),
    at(5_200, 5_300, { kind: 'failed_midway', code: 'billing_error', text: 'a', replayed: true }),
    { ...at(5_200, 5_300, UNAVAILABLE), request: { ...anAttempt(UNAVAILABLE).request, model: 'breaks' } },
  ] satisfies Attempt[];
  const failures = outagesOf([aFault(), aFault({ fromMs: 5_000, goneAtMs: 5_010 })], attempts).map(
    (outage) => outage.failures,
  );
  const one = [['refused, 503 service_unavailable', 1]];
  expect(failures).toEqual([one, one]);
});

describe('the findings of a failover', () => {
  const attempts = [at(1_020, 19_500, answered())];

  it('are none if another node took over, every gateway serves, and the node is back', () => {
    expect(findingsOf('primary-killed', [aFault()], attempts)).toEqual([]);
  });

  it.each<[string, Partial<Fault>]>([
    ['fault 1: gateway 1 did not serve again', { silentGateways: [1] }],
    ['fault 1: no other node was the primary afterwards', { primary: undefined }],
    ['fault 1: no other node was the primary afterwards', { primary: 'node-1' }],
    ['fault 1: there was no synchronous standby again', { standbyAfterMs: undefined }],
  ])('say: %s', (finding, fault) => {
    expect(findingsOf('primary-killed', [aFault(fault)], attempts)).toEqual([finding]);
  });

  it('let a primary whose disk was full stay the primary', () => {
    expect(findingsOf('primary-disk-full', [aFault({ primary: 'node-1' })], attempts)).toEqual([]);
    expect(findingsOf('primary-disk-full', [aFault({ primary: undefined })], attempts)).toHaveLength(1);
  });

  it('say that nothing was answered', () => {
    expect(findingsOf('primary-killed', [aFault()], [at(1_020, 1_030, UNAVAILABLE)])).toEqual([
      'no request was answered',
    ]);
  });
});

describe('the report', () => {
  it('has a row for each fault, and ends with the verdict', () => {
    const text = toText(aReport({}));
    expect(text).toContain('| 1 | node-1 | 18.5 | 9.0 | none |');
    expect(text).toMatch(/no answer is lost, and none is charged twice\.$/);
    expect(toText(aReport({ findings: ['a charge is missing'] }))).toMatch(/- a charge is missing$/);
  });

  it('is the same as JSON', () => {
    const faults = [aFault(), aFault({ fromMs: 30_000, goneAtMs: 30_001, standbyAfterMs: undefined })];
    expect(JSON.parse(toJson(aReport({ faults, findings: ['lost'] })))).toMatchObject({
      fault: 'primary-killed',
      times: [
        { node: 'node-1', primary: 'node-2', serves_after_ms: 18_500, standby_after_ms: 9_000 },
        { serves_after_ms: null, standby_after_ms: null, not_answered: {} },
      ],
      requests: { 'answered, whole': 1 },
      findings: ['lost'],
    });
  });
});

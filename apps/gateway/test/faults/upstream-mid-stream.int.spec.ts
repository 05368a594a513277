import type { LineFault } from '@farebox/testing';
import { waitUntil } from '@farebox/testing';
import { DEFAULT_UPSTREAM_LIMITS } from '../../src/upstream/upstream-client';
import { readAnswer } from './client-answer';
import { ask } from './fault-request';
import { outcomeOf } from './request-outcome';
import { startUpstreamFaultHarness, type UpstreamFaultHarness } from './upstream-fault-harness';
import { onEveryWay, spreadOverWays, WAYS } from './ways';

let harness: UpstreamFaultHarness;
beforeAll(async () => {
  // A row must not close the upstream for the next one on another way.
  Object.assign(DEFAULT_UPSTREAM_LIMITS.circuit, { failures: Infinity });
  harness = await startUpstreamFaultHarness();
});
afterEach(async () => {
  await harness.proxy.heal();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** The stream of an upstream that fails within it: one error event, and a charge for what came before. */
const failed = (code: string, events: number, failure: string): object => ({
  answer: { status: 200, events, end: code },
  charge: {
    tokens: events,
    outcome: code === 'upstream_timeout' ? code : 'upstream_failed',
    estimated: true,
  },
  log: [`upstream_failed ${failure}`, 'request_cut 200'],
});

describe('a stream costs what was delivered, and ends with one error event and a cut, if the upstream', () => {
  const rows = [
    { how: 'breaks it off', model: 'breaks', events: 5, failure: 'unavailable' },
    { how: 'ends it without a finish', model: 'ends-early', events: 5, failure: 'unavailable 200' },
    {
      how: 'ends without a finish reason',
      model: 'own-done-without-finish',
      events: 3,
      failure: 'unavailable 200',
    },
    { how: 'sends garbage', model: 'garbage', events: 5, failure: 'garbage 200' },
    { how: 'sends an error', model: 'error-midstream', events: 5, failure: 'garbage 200' },
    {
      how: 'calls the request wrong',
      model: 'own-refusal-midstream',
      events: 3,
      failure: 'refused_request 400',
    },
    { how: 'reports that it gave up', model: 'own-gives-up', events: 3, failure: 'unavailable 200' },
  ];
  // Messages have no finish reason for a failure.
  const all = onEveryWay(rows).filter(({ of, model }) => !(of === 'native-' && model === 'own-gives-up'));

  it.each(all)('$how ($way)', async ({ of, wire, model: name, events, failure }) => {
    const expected = failed('service_unavailable', events, failure);
    const asked = { wire, stream: true, maxTokens: 50 };
    const model = `${of}${name}`;
    expect(await harness.see({ model, ...asked })).toEqual(expected);
    // No other upstream is asked, because its words would differ.
    expect(await harness.see({ model: `${model}-or-next`, ...asked })).toEqual(expected);
  });

  it.each(WAYS)('is silent for too long ($way)', async ({ of, wire }) => {
    const seen = await harness.see({ model: `${of}stalls-or-next`, wire, stream: true, maxTokens: 50 });
    expect(seen).toEqual(failed('upstream_timeout', 5, 'timeout'));
  });

  const network: { how: string; model: string; fault: LineFault; code: string; failure: string }[] = [
    {
      how: 'resets it',
      model: 'steady-paced',
      fault: { kind: 'reset', afterBytes: 0 },
      code: 'service_unavailable',
      failure: 'unavailable',
    },
    {
      how: 'ends it within an event',
      model: 'steady-paced',
      fault: { kind: 'truncate', afterBytes: 40 },
      code: 'service_unavailable',
      failure: 'unavailable',
    },
    {
      how: 'is no longer reachable',
      model: 'paced',
      fault: { kind: 'drop' },
      code: 'upstream_timeout',
      failure: 'timeout',
    },
  ];

  it.each(spreadOverWays(network))('$how ($way)', async ({ of, wire, model, fault, code, failure }) => {
    const before = harness.proxy.toClient.passedBytes;
    const request = await ask(harness, { model: `${of}${model}`, wire, stream: true, maxTokens: 200 });
    const response = await request.response;
    await waitUntil(() => harness.proxy.toClient.passedBytes > before + 2_000, 'the stream is under way');
    harness.proxy.toClient.set(fault);
    const answer = await readAnswer(response, wire);
    const { events } = answer as { events: number };
    expect(events).toBeGreaterThan(0);
    expect(events).toBeLessThan(200);
    expect({ answer, ...(await outcomeOf(harness, request)) }).toEqual(failed(code, events, failure));
  });
});

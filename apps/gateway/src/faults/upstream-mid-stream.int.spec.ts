import type { LineFault } from '@farebox/testing';
import { waitUntil } from '../../test/gateway-harness';
import { readAnswer } from '../../test/faults/client-answer';
import { ask } from '../../test/faults/fault-request';
import { outcomeOf } from '../../test/faults/request-outcome';
import {
  startUpstreamFaultHarness,
  type UpstreamFaultHarness,
} from '../../test/faults/upstream-fault-harness';

let harness: UpstreamFaultHarness;
beforeAll(async () => {
  harness = await startUpstreamFaultHarness();
});
afterEach(async () => {
  await harness.proxy.heal();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** Of the stream of an upstream that fails in the middle of it: one error event, and the charge of what came before. */
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
  it.each([
    { how: 'breaks it off', model: 'breaks', events: 5, failure: 'unavailable' },
    { how: 'ends it without a finish', model: 'ends-early', events: 5, failure: 'unavailable 200' },
    {
      how: 'says the end without a finish',
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
    { how: 'says that it gave up', model: 'own-gives-up', events: 3, failure: 'unavailable 200' },
  ])('$how', async ({ model, events, failure }) => {
    const expected = failed('service_unavailable', events, failure);
    expect(await harness.see({ model, stream: true, maxTokens: 50 })).toEqual(expected);
    // Nor is another upstream asked, whose words would be others.
    expect(await harness.see({ model: `${model}-or-next`, stream: true, maxTokens: 50 })).toEqual(expected);
  });

  it('is silent for too long', async () => {
    const seen = await harness.see({ model: 'stalls-or-next', stream: true, maxTokens: 50 });
    expect(seen).toEqual(failed('upstream_timeout', 5, 'timeout'));
  });

  it.each<{ how: string; fault: LineFault; code: string; failure: string }>([
    {
      how: 'resets it',
      fault: { kind: 'reset', afterBytes: 0 },
      code: 'service_unavailable',
      failure: 'unavailable',
    },
    {
      how: 'ends it within an event',
      fault: { kind: 'truncate', afterBytes: 40 },
      code: 'service_unavailable',
      failure: 'unavailable',
    },
    { how: 'is not reached any more', fault: { kind: 'drop' }, code: 'upstream_timeout', failure: 'timeout' },
  ])('$how', async ({ fault, code, failure }) => {
    const before = harness.proxy.toClient.passedBytes;
    const request = await ask(harness, { model: 'paced', stream: true, maxTokens: 200 });
    const response = await request.response;
    await waitUntil(() => harness.proxy.toClient.passedBytes > before + 2_000, 'the stream is under way');
    harness.proxy.toClient.set(fault);
    const answer = await readAnswer(response);
    const { events } = answer as { events: number };
    expect(events).toBeGreaterThan(0);
    expect(events).toBeLessThan(200);
    expect({ answer, ...(await outcomeOf(harness, request)) }).toEqual(failed(code, events, failure));
  });
});

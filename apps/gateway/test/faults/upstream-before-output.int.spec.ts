import type { FaultProxy } from '@farebox/testing';
import { DEFAULT_UPSTREAM_LIMITS } from '../../src/upstream/upstream-client';
import { startUpstreamFaultHarness, type UpstreamFaultHarness } from './upstream-fault-harness';
import { onEveryWay, spreadOverWays, type Way } from './ways';

let harness: UpstreamFaultHarness;
beforeAll(async () => {
  // A row must not close the upstream for the next one on another way.
  Object.assign(DEFAULT_UPSTREAM_LIMITS.circuit, { failures: Infinity });
  harness = await startUpstreamFaultHarness();
});
afterEach(async () => {
  await harness.proxy.heal();
  // The fault has no after-effects: the next request on the same way succeeds.
  const next = await harness.see({ model: 'echo' });
  // On a busy machine its second may be over before it answers.
  const { answer } = next.answer.status === 504 ? await harness.see({ model: 'echo' }) : next;
  expect(answer).toEqual({ status: 200, tokens: 8 });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

type Arrange = (proxy: FaultProxy) => void;

interface Row {
  /** How the upstream fails. */
  how: string;
  model: string;
  /** The failure in the log. */
  failure: string;
  arrange: Arrange;
  /** How often the only route is asked. */
  times: number;
}

const row = (
  how: string,
  model: string,
  failure: string,
  arrange: Arrange = () => undefined,
  times = 1,
): Row => ({ how, model, failure, arrange, times });

/** A Messages server's error names the status that it would have had: here 500. */
const asItsServerSays = <Asked extends Row & Way>(asked: Asked): Asked =>
  asked.of === 'native-' && asked.model === 'error-midstream'
    ? { ...asked, failure: 'unavailable 500', times: 2 }
    : asked;

/** The request may be the cause: the only route is asked again, and is down for others too. */
const failing = (model: string): Row => row('answers 500', model, 'unavailable 500', undefined, 2);

const NETWORK: Row[] = [
  row('refuses connections', 'echo', 'unavailable', refuse),
  row('resets a request', 'echo', 'unavailable', ({ toTarget }) => {
    toTarget.set({ kind: 'reset', afterBytes: 99 });
  }),
  row('resets an answer', 'echo', 'unavailable', ({ toClient }) => {
    toClient.set({ kind: 'reset', afterBytes: 0 });
  }),
  row('ends within its headers', 'echo', 'unavailable', ({ toClient }) => {
    toClient.set({ kind: 'truncate', afterBytes: 20 });
  }),
];

const ANSWERS: Row[] = [
  row('closes the connection', 'closes', 'unavailable'),
  row('answers 503', 'refuses-503', 'unavailable 503'),
  row('answers 429', 'refuses-429', 'unavailable 429'),
  row('answers a web page', 'html', 'garbage 200'),
];

const WHOLE: Row[] = [
  row('answers no JSON', 'garbage', 'garbage 200'),
  row('answers an error under status 200', 'error-midstream', 'garbage 200'),
  row('answers without a finish', 'ends-early', 'garbage 200'),
  row('breaks off in the middle', 'breaks', 'unavailable'),
  row('ends within its body', 'echo', 'unavailable', ({ toClient }) => {
    toClient.set({ kind: 'truncate', afterBytes: 700 });
  }),
];

const STREAM: Row[] = [
  row('begins with an error', 'own-error-first', 'unavailable 503'),
  row('names the role and then sends an error', 'own-error-after-role', 'unavailable 503'),
  row('names the role and then breaks off', 'own-role-and-no-more', 'unavailable 200'),
  row('begins with no JSON', 'own-garbage-first', 'garbage 200'),
  row('answers a stream with a non-streamed error', 'own-error-json', 'garbage 200'),
  row('ends before it begins', 'own-nothing-but-done', 'unavailable 200'),
];

function refuse(proxy: FaultProxy): void {
  proxy.stopAccepting();
  proxy.reset();
}

describe.each([
  {
    kind: 'a non-streamed answer',
    stream: false,
    rows: [failing('refuses-500'), ...NETWORK, ...ANSWERS, ...WHOLE],
  },
  { kind: 'a stream', stream: true, rows: [failing('own-fails'), ...NETWORK, ...ANSWERS, ...STREAM] },
])('$kind from an upstream', ({ stream, rows }) => {
  it.each(onEveryWay(rows).map(asItsServerSays))(
    'that $how is 503, with a time to retry, and free ($way)',
    async ({ of, wire, model, failure, arrange, times }) => {
      arrange(harness.proxy);
      expect(await harness.see({ model: `${of}${model}`, wire, stream })).toEqual({
        answer: { status: 503, code: 'service_unavailable', retryAfter: '5', shouldRetry: 'true' },
        charge: 'nothing',
        log: [
          ...Array.from({ length: times }, () => `upstream_failed ${failure}`),
          'request_failed service_unavailable',
          'request_completed 503',
        ],
      });
    },
  );

  it.each(spreadOverWays(rows, stream ? 1 : 0).map(asItsServerSays))(
    "that $how is replaced by the next upstream's ($way)",
    async ({ of, wire, model, failure, arrange }) => {
      arrange(harness.proxy);
      expect(await harness.see({ model: `${of}${model}-or-next`, wire, stream })).toEqual({
        answer: stream ? { status: 200, events: 8, end: 'whole' } : { status: 200, tokens: 8 },
        charge: { tokens: 8, outcome: 'completed', estimated: false },
        log: [`upstream_failed ${failure}`, 'request_completed 200'],
      });
    },
  );

  const silent: Row[] = [
    row('accepts the request and stays silent', 'echo', 'timeout', ({ toClient }) => {
      toClient.set({ kind: 'drop' });
    }),
    row('is too slow', 'slow-5000', 'timeout'),
    ...(stream ? [] : [row('is silent in the middle', 'stalls', 'timeout')]),
  ];
  it.each(spreadOverWays(silent, stream ? 3 : 1))(
    'that $how is 504 and free ($way)',
    async ({ of, wire, model, failure, arrange }) => {
      arrange(harness.proxy);
      // No other upstream is asked: the client has waited long enough.
      expect(await harness.see({ model: `${of}${model}-or-next`, wire, stream })).toEqual({
        answer: { status: 504, code: 'upstream_timeout', retryAfter: null, shouldRetry: 'true' },
        charge: 'nothing',
        log: [`upstream_failed ${failure}`, 'request_failed upstream_timeout', 'request_completed 504'],
      });
    },
  );
});

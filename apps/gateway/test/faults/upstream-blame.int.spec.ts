import { DEFAULT_UPSTREAM_LIMITS } from '../../src/upstream/upstream-client';
import { startUpstreamFaultHarness, type UpstreamFaultHarness } from './upstream-fault-harness';

/** Decides whether the request of a customer or the upstream is at fault for a 500. */

let harness: UpstreamFaultHarness;
beforeAll(async () => {
  harness = await startUpstreamFaultHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const OFTEN = DEFAULT_UPSTREAM_LIMITS.circuit.failures + 1;
const own = { status: 400, code: 'invalid_request_error', retryAfter: null, shouldRetry: 'false' };

describe.each([false, true])('a request that makes a server fail (streamed: %s)', (stream) => {
  const broken = { model: 'own-fails-at-logit-bias', stream, more: { logit_bias: { '1': 1 } } };

  it('is blamed on its customer, is not to be repeated, and costs nobody else anything', async () => {
    const customer = await harness.givenKey();
    for (let sent = 0; sent < OFTEN; sent++) {
      const { answer, charge } = await harness.see({ ...broken, customer });
      expect([answer, charge]).toEqual([own, 'nothing']);
      const { answer: ofAnother } = await harness.see({ model: broken.model, stream });
      expect(ofAnother).toMatchObject({ status: 200 });
    }
  });

  it('is blamed on its customers even without other requests, and if all send it', async () => {
    const answers = [];
    for (let sent = 0; sent < OFTEN; sent++) answers.push((await harness.see(broken)).answer);
    expect(answers).toEqual(answers.map(() => own));
    expect((await harness.see({ model: broken.model, stream })).answer).toMatchObject({ status: 200 });
  });

  it('is not blamed on the customer if another upstream can serve it', async () => {
    const { answer } = await harness.see({ ...broken, model: `${broken.model}-or-next` });
    expect(answer).toMatchObject({ status: 200 });
  });
});

it('an upstream that answers 500 to everything is down, for one customer as for many', async () => {
  const customer = await harness.givenKey();
  const down = { code: 'service_unavailable', shouldRetry: 'true' };
  const answers = [];
  for (let sent = 0; sent < OFTEN; sent++)
    answers.push((await harness.see({ model: 'refuses-500', customer })).answer);
  expect(answers).toMatchObject(answers.map(() => down));
  // It is paused: the time to retry is that of its circuit, and their calls have not prolonged it.
  const last = await harness.see({ model: 'refuses-500', customer });
  expect(last.log[0]).toBe('upstream_failed circuit_open');
});

import { DEFAULT_UPSTREAM_LIMITS } from '../../src/upstream/upstream-client';
import { startUpstreamFaultHarness, type UpstreamFaultHarness } from './upstream-fault-harness';

/** Whose fault it is that an upstream answers 500: that of what a customer sent, or its own. */

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

describe.each([false, true])('what one customer sends (streamed: %s)', (stream) => {
  const broken = { model: 'own-fails-at-logit-bias', stream, more: { logit_bias: { '1': 1 } } };

  it('and a server fails at is theirs, is not to be repeated, and costs nobody else anything', async () => {
    const customer = await harness.givenKey();
    for (let sent = 0; sent < OFTEN; sent++) {
      const { answer, charge } = await harness.see({ ...broken, customer });
      expect([answer, charge]).toEqual([own, 'nothing']);
      const { answer: ofAnother } = await harness.see({ model: broken.model, stream });
      expect(ofAnother).toMatchObject({ status: 200 });
    }
  });

  it('is theirs too if nobody else asks meanwhile, and if they all send it', async () => {
    const answers = [];
    for (let sent = 0; sent < OFTEN; sent++) answers.push((await harness.see(broken)).answer);
    expect(answers).toEqual(answers.map(() => own));
    expect((await harness.see({ model: broken.model, stream })).answer).toMatchObject({ status: 200 });
  });

  it('is no fault of theirs if another upstream can do it', async () => {
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
  // It is left alone: the time to come again is that of its circuit, which no call of theirs has prolonged.
  const last = await harness.see({ model: 'refuses-500', customer });
  expect(last.log[0]).toBe('upstream_failed circuit_open');
});

import { connect } from 'node:net';
import { waitUntil } from '@farebox/testing';
import { startClientFaultHarness, type ClientFaultHarness } from './client-fault-harness';
import { MOST_OUTPUT_TOKENS } from './fault-catalog';
import { requestBody, requestHeaders, type SentRequest } from './fault-request';
import { outcomeOf } from './request-outcome';

const STALL_TIMEOUT_MS = 300;

let harness: ClientFaultHarness;
beforeAll(async () => {
  harness = await startClientFaultHarness({
    channelTimes: { stallTimeoutMs: STALL_TIMEOUT_MS, leastBytesPerSecond: 65_536, heartbeatMs: 15_000 },
  });
});
afterEach(async () => {
  await harness.proxy.heal();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** Log probabilities add many bytes to each token. */
const LONG = {
  model: 'patient-long',
  maxTokens: MOST_OUTPUT_TOKENS,
  more: { logprobs: true, top_logprobs: 20 },
};

/** A client on a raw connection. */
interface RawReader extends SentRequest {
  received: () => string;
  ended: Promise<void>;
}

async function begin(stream: boolean): Promise<RawReader> {
  const { secret, accountId } = await harness.givenKey();
  const id = `stalls-${accountId}`;
  const body = requestBody({ ...LONG, stream });
  const headers = { host: 'x', ...requestHeaders(secret, id), 'content-length': String(body.length) };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(harness.proxy.port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => undefined);
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  const ended = new Promise<void>((resolve) =>
    socket.once('close', () => {
      resolve();
    }),
  );
  return { id, secret, accountId, ended, received: () => Buffer.concat(parts).toString('latin1') };
}

const eventsWithText = (received: string): number => received.match(/"content":"[^"]/g)?.length ?? 0;

describe('a client who stops reading is reset', () => {
  it('within a stream, and pays for what the connection accepted', async () => {
    const request = await begin(true);
    await waitUntil(() => eventsWithText(request.received()) > 0, 'the stream is under way');
    harness.proxy.toClient.set({ kind: 'hold' });
    const { charge, log } = await outcomeOf(harness, request);
    expect({ charge, log }).toEqual({
      charge: { tokens: expect.any(Number) as number, outcome: 'client_gone', estimated: true },
      log: ['request_cut 200'],
    });
    const { tokens } = charge as { tokens: number };
    expect(tokens).toBeLessThan(MOST_OUTPUT_TOKENS);

    await harness.proxy.heal();
    await request.ended;
    const received = request.received();
    expect(received).not.toContain('[DONE]');
    // After an orderly end everything written would still arrive, and take memory until then.
    expect(eventsWithText(received)).toBeLessThan(tokens);
  });

  it('within a non-streamed answer, and pays for it: they may have read any part that was sent', async () => {
    harness.proxy.toClient.set({ kind: 'hold' });
    const request = await begin(false);
    expect(await outcomeOf(harness, request)).toEqual({
      charge: { tokens: MOST_OUTPUT_TOKENS, outcome: 'completed', estimated: false },
      log: ['request_cut 200'],
    });
    await harness.proxy.heal();
    await request.ended;
    const [head = '', body = ''] = request.received().split('\r\n\r\n');
    expect(body.length).toBeLessThan(Number(/content-length: (\d+)/i.exec(head)?.[1]));
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { USUAL_DIALECT, type Upstream } from '@farebox/catalog';
import { startSimulatedUpstream, type SimulatedUpstream } from '@farebox/simulated-upstream';
import { waitUntil } from '@farebox/testing';
import {
  askFor,
  clientOf,
  complete as completeWith,
  PATIENT,
  startOwnUpstream,
  stream as streamWith,
} from '../../test/own-upstream';
import type { UpstreamFailure } from './failure';
import { createUpstreamClient, DEFAULT_UPSTREAM_LIMITS, type UpstreamClient } from './upstream-client';

const MAX_ANSWER_BYTES = 64 * 1024;
const SECRET = 'sk-upstream-secret';

let server: SimulatedUpstream;
let client: UpstreamClient;
/** Has short time-outs, for calls that would never end. */
let hasty: UpstreamClient;
beforeAll(async () => {
  server = await startSimulatedUpstream({ apiKey: SECRET });
  client = clientWith();
  hasty = clientWith({
    connectTimeoutMs: 30_000,
    firstByteTimeoutMs: 3_000,
    idleTimeoutMs: 1_500,
    totalTimeoutMs: 6_000,
  });
});
afterAll(async () => {
  await Promise.all([client.close(), hasty.close()]);
  await server.close();
});

function clientWith(timeOuts: Partial<Upstream> = {}): UpstreamClient {
  const maxTokensField = 'max_tokens' as const;
  return createUpstreamClient({
    upstream: {
      id: 'sim',
      baseUrl: server.url,
      apiKeyEnv: 'SIM_KEY',
      maxTokensField,
      wire: 'chat',
      dialect: USUAL_DIALECT,
      promptCache: 'hidden',
      ...PATIENT,
      ...timeOuts,
    },
    secret: SECRET,
    onCircuitChange: () => undefined,
    limits: { ...DEFAULT_UPSTREAM_LIMITS, maxAnswerBytes: MAX_ANSWER_BYTES },
  });
}

const bodyFor = (model: string, stream = false): string =>
  JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hello' }], max_tokens: 20 });

const complete = (model: string, by = client) => completeWith(by, model, bodyFor(model));
const stream = (model: string, by = client) => streamWith(by, model, bodyFor(model, true));

describe('an upstream call', () => {
  it('carries the secret and no other header of a customer', async () => {
    expect(await complete('sim-echo')).toBeInstanceOf(Buffer);
    const { headers } = server.requests().at(-1) ?? {};
    expect(Object.keys(headers ?? {}).sort()).toEqual([
      'accept',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
    ]);
    expect(headers?.['user-agent']).toBe('farebox');
    expect(headers?.['authorization']).toBe(`Bearer ${SECRET}`);
  });

  it.each([
    ['sim-huge', 'garbage'],
    ['sim-html', 'garbage'],
    ['sim-closes', 'unavailable'],
    ['sim-refuses-401', 'misconfigured'],
    ['sim-refuses-400', 'refused_request'],
    ['sim-refuses-503', 'unavailable'],
  ])('to %s fails as %s', async (model, kind) => {
    expect(await complete(model)).toMatchObject({ kind });
  });

  it.each(['sim-slow-5000', 'sim-stalls'])('to %s is abandoned in time', async (model) => {
    expect(await complete(model, hasty)).toMatchObject({ kind: 'timeout' });
  });

  it('that streams from sim-split is complete', async () => {
    const { events, end } = await stream('sim-split');
    expect(events.length).toBeGreaterThan(1);
    expect(end).toBe('end');
  });

  it('that streams from sim-breaks fails in the middle', async () => {
    const { events, end } = await stream('sim-breaks');
    expect(events.length).toBeGreaterThan(1);
    expect(end).toMatchObject({ kind: 'unavailable' });
  });

  it.each(['sim-stalls', 'sim-huge'])('that streams from %s is abandoned in time', async (model) => {
    const { events, end } = await stream(model, hasty);
    expect(events.length).toBeGreaterThan(1);
    expect(end).toMatchObject({ kind: 'timeout' });
  });

  it('emits nothing after an abort, and the upstream sees the abort', async () => {
    const heard: unknown[] = [];
    const call = client.stream(askFor('sim-paced', bodyFor('sim-paced', true)), {
      onData: (data) => {
        heard.push(data);
        call.abort();
      },
      onEnd: () => heard.push('end'),
      onFailure: (failure) => heard.push(failure),
    });
    await waitUntil(() => server.requests().at(-1)?.aborted === true, 'the upstream sees it');
    await sleep(300);
    expect(heard).toHaveLength(1);
  });

  it('that is resumed after a pause still times out when the upstream falls silent', async () => {
    const failure = await new Promise<UpstreamFailure | string>((resolve) => {
      let paused = false;
      const call = hasty.stream(askFor('sim-stalls', bodyFor('sim-stalls', true)), {
        onData: () => {
          if (paused) return;
          paused = true;
          call.pause();
          setTimeout(() => {
            call.resume();
          }, 50);
        },
        onEnd: () => {
          resolve('end');
        },
        onFailure: resolve,
      });
      setTimeout(() => {
        resolve('nothing');
      }, 10_000).unref();
    });
    expect(failure).toMatchObject({ kind: 'timeout' });
  });

  it('is not sent without the secret that the upstream takes', async () => {
    const { upstream } = client;
    const without = createUpstreamClient({ upstream, secret: undefined, onCircuitChange: () => undefined });
    const before = server.requests().length;
    expect(await complete('sim-echo', without)).toMatchObject({ kind: 'misconfigured' });
    expect(await stream('sim-echo', without)).toMatchObject({ end: { kind: 'misconfigured' } });
    await without.close();
    expect(server.requests()).toHaveLength(before);
  });

  it('is not sent if it is aborted at once', async () => {
    const before = server.requests().length;
    const heard: unknown[] = [];
    const note = (what: unknown): void => void heard.push(what);
    client.complete(askFor('sim-echo', bodyFor('sim-echo')), { onAnswer: note, onFailure: note }).abort();
    expect(await complete('sim-echo')).toBeInstanceOf(Buffer);
    expect([server.requests().length, heard]).toEqual([before + 1, []]);
  });

  it('fails after its caller has it, if the client was closed', async () => {
    const closed = createUpstreamClient({
      upstream: client.upstream,
      secret: SECRET,
      onCircuitChange: () => undefined,
    });
    await closed.close();
    let call: unknown;
    const failure = await new Promise<UpstreamFailure>((resolve, reject) => {
      call = closed.complete(askFor(), {
        onAnswer: reject,
        onFailure: (failed) => {
          if (call) resolve(failed);
          else reject(failed);
        },
      });
    });
    expect(failure).toMatchObject({ kind: 'unavailable' });
  });

  it('fails as garbage if its sink rejects the answer', async () => {
    const refuse = (): never => {
      throw new Error('no answer');
    };
    const refuseLater = (): Promise<void> => Promise.resolve().then(refuse);
    const failures = await Promise.all([
      ...[refuse, refuseLater].map(
        (onAnswer) =>
          new Promise((resolve) =>
            client.complete(askFor('sim-echo', bodyFor('sim-echo')), { onAnswer, onFailure: resolve }),
          ),
      ),
      new Promise((resolve) =>
        client.stream(askFor('sim-echo', bodyFor('sim-echo', true)), {
          onData: refuse,
          onEnd: refuse,
          onFailure: resolve,
        }),
      ),
      new Promise((resolve) =>
        client.stream(askFor('sim-echo', bodyFor('sim-echo', true)), {
          onData: () => undefined,
          onEnd: refuse,
          onFailure: resolve,
        }),
      ),
    ]);
    for (const failure of failures) expect(failure).toMatchObject({ kind: 'garbage' });
  });

  it('emits nothing after it is settled, and its connection is reused', async () => {
    const heard: string[] = [];
    await new Promise<void>((resolve) => {
      const call = client.stream(askFor('sim-echo', bodyFor('sim-echo', true)), {
        onData(data) {
          heard.push(data);
          if (data !== '[DONE]') return;
          call.settle();
          resolve();
        },
        onEnd: () => heard.push('end'),
        onFailure: () => heard.push('failure'),
      });
    });
    expect(await complete('sim-echo')).toBeInstanceOf(Buffer);
    expect(heard.at(-1)).toBe('[DONE]');
    expect(server.requests().at(-2)).toMatchObject({ finished: true, aborted: false });
  });

  it('that is settled while it is paused ends, so that its connection is reused', async () => {
    const ports: (number | undefined)[] = [];
    const own = await startOwnUpstream((req, res) => {
      ports.push(req.socket.remotePort);
      res.setHeader('content-type', 'text/event-stream').end('data: {}\n\ndata: [DONE]\n\n');
    });
    const ownClient = clientOf(own.url);
    await new Promise<void>((resolve, reject) => {
      const call = ownClient.stream(askFor(), {
        onData(data) {
          call.pause();
          if (data !== '[DONE]') return;
          call.settle();
          resolve();
        },
        onEnd: reject,
        onFailure: reject,
      });
    });
    await waitUntil(async () => {
      await streamWith(ownClient);
      return ports.at(-1) === ports[0];
    }, 'a later call uses its connection');
    await ownClient.close();
    await own.close();
  });
});

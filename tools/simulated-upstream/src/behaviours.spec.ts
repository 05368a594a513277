import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SIMULATED_MODELS, TOKENS_BEFORE_FAULT, UPSTREAM_CANARIES } from './behaviours';
import { startSimulatedUpstream, type SimulatedUpstream } from './server';
import {
  chatBody,
  chunksOf,
  eventsOf,
  postChat,
  rawTransferChunks,
  readToBreak,
  until,
} from '../test/client';

interface Completion {
  choices: { message: { content: string }; finish_reason: string | null }[];
  usage?: Record<string, number>;
}

let upstream: SimulatedUpstream;
beforeAll(async () => {
  upstream = await startSimulatedUpstream();
});
afterAll(() => upstream.close());

const streamBody = (model: string, fields: Record<string, unknown> = {}): Record<string, unknown> =>
  chatBody(model, { stream: true, ...fields });
const ask = (model: string): Promise<Response> => postChat(upstream, chatBody(model));
const askStream = (model: string): Promise<Response> => postChat(upstream, streamBody(model));
const complete = async (model: string): Promise<Completion> =>
  (await (await ask(model)).json()) as Completion;
const contentPieces = (text: string): string[] =>
  chunksOf(text)
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .filter((piece) => piece !== '');

describe('usage', () => {
  const withUsage = { stream_options: { include_usage: true } };

  it('is ten times the truth as sim-wrong-usage', async () => {
    const right = (await complete('sim-echo')).usage ?? {};
    const tenfold = Object.fromEntries(Object.entries(right).map(([key, count]) => [key, count * 10]));
    expect((await complete('sim-wrong-usage')).usage).toEqual(tenfold);
    const text = await (await postChat(upstream, streamBody('sim-wrong-usage', withUsage))).text();
    expect(chunksOf(text).at(-1)?.usage).toEqual(tenfold);
  });

  it('includes the injected tokens of a chat template as sim-template', async () => {
    const right = (await complete('sim-echo')).usage?.prompt_tokens ?? 0;
    expect((await complete('sim-template')).usage?.prompt_tokens).toBe(right + 188);
  });

  it('names the kinds of tokens as sim-cached and sim-reasoning', async () => {
    const cached = (await complete('sim-cached')).usage;
    const half = Math.floor((cached?.prompt_tokens ?? 0) / 2);
    expect(cached).toMatchObject({ prompt_tokens_details: { cached_tokens: half } });
    const reasoned = (await complete('sim-reasoning')).usage;
    const reasoning = Math.floor((reasoned?.completion_tokens ?? 0) / 2);
    expect(reasoned).toMatchObject({ completion_tokens_details: { reasoning_tokens: reasoning } });
    expect(reasoning).toBeGreaterThan(0);
  });

  it('is omitted as sim-no-usage, even if it is requested', async () => {
    expect(await complete('sim-no-usage')).not.toHaveProperty('usage');
    const text = await (await postChat(upstream, streamBody('sim-no-usage', withUsage))).text();
    expect(text).not.toContain('"usage"');
    expect(eventsOf(text).at(-1)).toBe('[DONE]');
  });
});

describe('sim-reasons', () => {
  it('gives its reasons before the response, whole and streamed', async () => {
    const { choices, usage } = (await (await ask('sim-reasons')).json()) as {
      choices: { message: { content: string; reasoning_content: string } }[];
      usage: { completion_tokens: number };
    };
    const { content = '', reasoning_content: reasons = '' } = choices[0]?.message ?? {};
    const chunks = chunksOf(await (await askStream('sim-reasons')).text());
    const deltas = chunks.map((chunk) => chunk.choices[0]?.delta ?? {});
    expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe(reasons);
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe(content);
    expect(reasons).not.toBe(content);
    expect(deltas.filter((delta) => (delta.reasoning_content ?? delta.content ?? '') !== '')).toHaveLength(
      usage.completion_tokens,
    );
  });
});

describe('sim-recovers', () => {
  it('refuses each body once before it answers it', async () => {
    const statuses: number[] = [];
    for (const seed of [1, 1, 2, 1, 2, 1]) {
      statuses.push((await postChat(upstream, chatBody('sim-recovers', { seed }))).status);
    }
    expect(statuses).toEqual([503, 200, 503, 503, 200, 200]);
  });
});

describe('a stream with a fault', () => {
  it('stalls after the first tokens, until the client leaves', async () => {
    const leave = new AbortController();
    await postChat(upstream, streamBody('sim-stalls'), { signal: leave.signal });
    const last = () => upstream.requests().at(-1);
    await until(() => last()?.tokensSent === TOKENS_BEFORE_FAULT);
    expect(last()).toMatchObject({ finished: false, aborted: false });
    leave.abort();
    await until(() => last()?.aborted === true);
    expect(last()?.tokensSent).toBe(TOKENS_BEFORE_FAULT);
  });

  it('breaks off after the first tokens', async () => {
    const { text, broke } = await readToBreak(await askStream('sim-breaks'));
    expect(broke).toBe(true);
    expect(contentPieces(text)).toHaveLength(TOKENS_BEFORE_FAULT);
    expect(upstream.requests().at(-1)).toMatchObject({ aborted: false });
  });

  it('ends early, cleanly, without finish reason and [DONE]', async () => {
    const { text, broke } = await readToBreak(await askStream('sim-ends-early'));
    expect(broke).toBe(false);
    expect(contentPieces(text)).toHaveLength(TOKENS_BEFORE_FAULT);
    expect(chunksOf(text).every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true);
    expect(text).not.toContain('[DONE]');
  });

  it('has garbage in the middle and goes on', async () => {
    const events = eventsOf(await (await askStream('sim-garbage')).text());
    const broken = events.findIndex((data) => data !== '[DONE]' && !isJson(data));
    expect(broken).toBe(1 + TOKENS_BEFORE_FAULT);
    expect(events.at(-1)).toBe('[DONE]');
  });

  it('has an error in the middle', async () => {
    const events = eventsOf(await (await askStream('sim-error-midstream')).text());
    expect(events).toHaveLength(1 + TOKENS_BEFORE_FAULT + 2);
    expect(JSON.parse(events.at(-2) ?? '')).toHaveProperty('error.message');
  });

  it('is HTML', async () => {
    const response = await askStream('sim-html');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html');
  });
});

describe('a whole response with a fault', () => {
  it('stalls halfway', async () => {
    const leave = new AbortController();
    const response = await postChat(upstream, chatBody('sim-stalls'), { signal: leave.signal });
    expect(response.status).toBe(200);
    leave.abort();
    await until(() => upstream.requests().at(-1)?.aborted === true);
  });

  it('breaks off halfway', async () => {
    expect((await readToBreak(await ask('sim-breaks'))).broke).toBe(true);
  });

  it('has no finish reason', async () => {
    const answer = await complete('sim-ends-early');
    expect(answer.choices[0]?.finish_reason).toBeNull();
    expect(answer).not.toHaveProperty('usage');
  });

  it('is not JSON', async () => {
    const response = await ask('sim-garbage');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(isJson(await response.text())).toBe(false);
  });

  it('is an error under status 200', async () => {
    const response = await ask('sim-error-midstream');
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveProperty('error.message');
  });
});

describe('a response that ends before the place where others stop', () => {
  it.each(['sim-stalls', 'sim-breaks', 'sim-ends-early'])('is whole, from %s', async (model) => {
    for (const limit of [1, TOKENS_BEFORE_FAULT]) {
      const whole = await postChat(upstream, chatBody(model, { max_tokens: limit }));
      expect(await whole.json()).toMatchObject({
        choices: [{ finish_reason: 'length' }],
        usage: { completion_tokens: limit },
      });
      const text = await (await postChat(upstream, streamBody(model, { max_tokens: limit }))).text();
      expect(contentPieces(text)).toHaveLength(limit);
      expect(eventsOf(text).at(-1)).toBe('[DONE]');
    }
  });
});

describe('before a response', () => {
  it('sim-slow-<ms> waits before the first byte, and stops waiting when the client leaves', async () => {
    const leave = new AbortController();
    const isAnswered = jest.fn();
    const slow = postChat(upstream, chatBody('sim-slow-600000'), { signal: leave.signal });
    const settled = slow.then(isAnswered, () => undefined);
    const ofSlow = () => upstream.requests().find(({ body }) => (body as Body).model === 'sim-slow-600000');
    await until(() => ofSlow() !== undefined);
    await ask('sim-echo');
    expect(isAnswered).not.toHaveBeenCalled();
    leave.abort();
    await settled;
    await until(() => ofSlow()?.aborted === true);
    expect(ofSlow()?.tokensSent).toBe(0);
  });

  it('sim-slow-<ms> then answers', async () => {
    const slow = await complete('sim-slow-20');
    expect(slow.choices).toEqual((await complete('sim-echo')).choices);
  });

  it('sim-closes cuts the connection', async () => {
    await expect(ask('sim-closes')).rejects.toThrow();
  });

  it.each([400, 401, 403, 404, 422, 429, 500, 503])('sim-refuses-%i refuses', async (status) => {
    const response = await ask(`sim-refuses-${String(status)}`);
    expect(response.status).toBe(status);
    expect(response.headers.has('retry-after')).toBe(false);
    const { error } = (await response.json()) as { error: { param: string | null; message: string } };
    expect(error.param === 'messages').toBe(status === 400);
    expect(UPSTREAM_CANARIES.some((canary) => error.message.includes(canary))).toBe(true);
  });

  it.each([429, 503])('sim-refuses-%i-for-<seconds> gives the time of a retry', async (status) => {
    const response = await ask(`sim-refuses-${String(status)}-for-7`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, '7']);
  });
});

describe('sim-huge', () => {
  it.each([true, false])('does not end, streaming: %s', async (stream) => {
    const leave = new AbortController();
    const body = chatBody('sim-huge', { stream, max_tokens: 5 });
    const response = await postChat(upstream, body, { signal: leave.signal });
    let bytes = 0;
    for await (const part of response.body ?? []) {
      bytes += (part as Uint8Array).length;
      if (bytes > 2_000_000) break;
    }
    leave.abort();
    await until(() => upstream.requests().at(-1)?.aborted === true);
    expect(bytes).toBeGreaterThan(2_000_000);
  });
});

describe('sim-split', () => {
  it('splits characters and line ends, and is still the whole response', async () => {
    const chunks = await rawTransferChunks(upstream, streamBody('sim-split'));
    const bytes = Buffer.concat(chunks);
    expect(chunks.every((chunk) => chunk.length <= 29)).toBe(true);
    expect(chunks.some((chunk) => (chunk[0] ?? 0) >> 6 === 0b10)).toBe(true);
    expect(chunks.some((chunk) => chunk.at(-1) === 0x0d)).toBe(true);

    const events = bytes
      .toString()
      .split('\r\n\r\n')
      .map(toEventData)
      .filter((data) => data !== '');
    const texts = events.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as Chunk);
    const said = texts.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(said).toContain('Zürich, 東京, 🙂🚀');
    expect(said).toBe((await complete('sim-split')).choices[0]?.message.content);
    expect(events.at(-1)).toBe('[DONE]');
    expect(bytes.toString()).toMatch(/^: /m);
    expect(bytes.toString()).toMatch(/data:.*\r\ndata:/);
  });
});

describe('canaries', () => {
  it('all occur in the output of the upstream', async () => {
    const responses = [
      await ask('sim-echo'),
      await ask('sim-refuses-401'),
      await fetch(`${upstream.url}/models`),
    ];
    const seen = await Promise.all(
      responses.map(async (response) => JSON.stringify([...response.headers]) + (await response.text())),
    );
    expect(UPSTREAM_CANARIES.filter((canary) => !seen.join().includes(canary))).toEqual([]);
  });
});

describe('the README', () => {
  it('names every model, and no other', () => {
    const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
    const named = [...readme.matchAll(/^\| `(sim-[\w-]+)`/gm)].map((match) => match[1]);
    const refusals = SIMULATED_MODELS.filter((model) => model.startsWith('sim-refuses-'));
    expect(refusals.every((model) => readme.includes(model.slice('sim-refuses-'.length)))).toBe(true);
    expect(named.sort()).toEqual(SIMULATED_MODELS.filter((model) => !refusals.includes(model)).sort());
  });
});

interface Body {
  model?: string;
}
type Chunk = ReturnType<typeof chunksOf>[number];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The data of one event by the standard: its data lines, joined by line feeds. */
function toEventData(event: string): string {
  return event
    .split('\r\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).replace(/^ /, ''))
    .join('\n');
}

import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@farebox/errors';
import { waitUntil } from '@farebox/testing';
import { givenCompletion, settled } from '../../test/fake-completion';
import { scriptUpstream } from '../../test/fake-upstream';
import { givenReader, type RawReader } from '../../test/raw-reader';
import { deliverWhole } from '../chat/deliver-whole';
import { toChunk } from './chat/chat-wire';
import type { ChannelTimes } from './response-channel';
import { toEvent } from './wire';

const PATIENT_MS = 60_000;
const SHORT_MS = 40;
const HEARTBEAT = ': keep-alive\n\n';
/** More than the system buffers for a connection on both ends. */
const LONG_TEXT = 'x'.repeat(12 * 1024 * 1024);

const timesOf = (stallTimeoutMs: number, heartbeatMs: number): ChannelTimes => ({
  stallTimeoutMs,
  heartbeatMs,
  leastBytesPerSecond: 65_536,
});

let reader: RawReader;
afterEach(async () => {
  await reader.close();
});

const IDENTITY = { id: 'chatcmpl-1', created: 0, model: 'm' };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: '0.000000001' };

/** Sends a chunk, and counts how often it is reported as delivered. */
function send(content: string): { delivered: number } {
  const sent = { delivered: 0 };
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  reader.channel.sendChunk(IDENTITY, choices, () => sent.delivered++);
  return sent;
}

const eventOf = (content: string): string =>
  toEvent(toChunk(IDENTITY, [{ index: 0, delta: { content }, finish_reason: null }], null));

const beats = (): number => reader.received().split(HEARTBEAT).length - 1;

describe('a stream that is silent for long', () => {
  beforeEach(async () => {
    reader = await givenReader(timesOf(PATIENT_MS, SHORT_MS));
    reader.socket.resume();
  });

  it('sends nothing before its first chunk, because it may still become an error', async () => {
    await sleep(3 * SHORT_MS);
    expect([reader.res.headersSent, reader.received()]).toEqual([false, '']);
  });

  it('sends repeated heartbeats after it, which count as no output', async () => {
    const sent = send('Hi');
    await waitUntil(() => beats() >= 3, 'three heartbeats have come');
    expect(sent.delivered).toBe(1);
    const before = reader.received().indexOf(HEARTBEAT);
    expect(reader.received().slice(0, before)).toContain('"content":"Hi"');
  });

  it('sends no heartbeats after its end', async () => {
    send('Hi');
    await waitUntil(() => beats() >= 1, 'a heartbeat has come');
    reader.channel.endStream(IDENTITY, USAGE);
    await waitUntil(() => reader.received().endsWith('\r\n0\r\n\r\n'), 'the end has come');
    const ended = reader.received();
    await sleep(3 * SHORT_MS);
    expect(reader.received()).toBe(ended);
    expect(ended).toContain('data: [DONE]\n\n');
  });

  it('does not queue heartbeats for a customer who does not read', async () => {
    reader.socket.pause();
    send(LONG_TEXT);
    await sleep(SHORT_MS);
    const waiting = reader.res.writableLength;
    await sleep(5 * SHORT_MS);
    expect(reader.res.writableLength).toBeLessThanOrEqual(waiting);
  });
});

describe('events that arrive together', () => {
  it('leave together, as one chunk in one write, and each is delivered', async () => {
    reader = await givenReader(timesOf(PATIENT_MS, PATIENT_MS));
    reader.socket.resume();
    const written = jest.spyOn(reader.res, 'write');
    const sent = ['é', 'b', 'c'].map((content) => send(content));
    await reader.channel.flushed();
    expect(sent).toEqual([{ delivered: 1 }, { delivered: 1 }, { delivered: 1 }]);
    expect(written).toHaveBeenCalledTimes(1);
    reader.channel.endStream(IDENTITY, USAGE);
    await waitUntil(() => reader.received().endsWith('\r\n0\r\n\r\n'), 'the end has come');
    const events = ['é', 'b', 'c'].map(eventOf).join('');
    expect(reader.received()).toContain(`\r\n\r\n${Buffer.byteLength(events).toString(16)}\r\n${events}\r\n`);
  });

  it('leave at the end of the current task, without an explicit flush', async () => {
    reader = await givenReader(timesOf(PATIENT_MS, PATIENT_MS));
    reader.socket.resume();
    const sent = send('a');
    await waitUntil(() => sent.delivered === 1, 'it is delivered');
  });

  it('go unframed to a client of HTTP/1.0, which reads no chunks', async () => {
    reader = await givenReader(timesOf(PATIENT_MS, PATIENT_MS), '1.0');
    reader.socket.resume();
    send('a');
    await reader.channel.flushed();
    reader.channel.endStream(IDENTITY, USAGE);
    await reader.closed;
    await waitUntil(() => reader.received().includes('[DONE]'), 'the end has come');
    const body = reader.received().split('\r\n\r\n')[1] ?? '';
    expect(body.startsWith(eventOf('a'))).toBe(true);
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

describe('a customer who does not read', () => {
  beforeEach(async () => {
    reader = await givenReader(timesOf(SHORT_MS, PATIENT_MS));
  });

  it('is dropped in mid-stream: one write may have been read, and the queue behind it is not delivered', async () => {
    const sent = send(LONG_TEXT);
    const next = send('next');
    await reader.closed;
    await reader.channel.flushed();
    expect([sent.delivered, next.delivered, reader.channel.gone.aborted]).toEqual([1, 0, true]);
  });

  it('gets at most one write until they have taken it, and then all that has arrived since', async () => {
    await reader.close();
    reader = await givenReader(timesOf(PATIENT_MS, PATIENT_MS));
    const drained = jest.fn();
    reader.channel.onDrained(drained);
    const written = jest.spyOn(reader.res, 'write');
    const sent = [send(LONG_TEXT), send('a'), send('b')];
    await sleep(SHORT_MS);
    expect(written).toHaveBeenCalledTimes(1);
    expect(drained).not.toHaveBeenCalled();
    reader.socket.resume();
    await reader.channel.flushed();
    expect(written).toHaveBeenCalledTimes(2);
    expect(drained).toHaveBeenCalledTimes(1);
    expect(sent).toEqual([{ delivered: 1 }, { delivered: 1 }, { delivered: 1 }]);
  });

  it.each([
    ['last event', () => reader.channel.endStream({ ...IDENTITY, model: LONG_TEXT }, USAGE)],
    ['error event', () => reader.channel.failStream(new ApiError('billing_error', { message: LONG_TEXT }))],
  ])('is dropped before the %s of a stream', async (_name, end) => {
    send('Hi');
    await reader.channel.flushed();
    end();
    await reader.closed;
    expect(reader.channel.gone.aborted).toBe(true);
  });

  it.each([
    ['could not fetch it again', undefined],
    ['could', 100_000_000],
  ])(
    'is dropped within a non-streamed answer, and pays for it, though they %s',
    async (_name, longestKept) => {
      const upstream = scriptUpstream();
      const { channel } = reader;
      const client = { gone: channel.gone, sendWhole: (json: string) => channel.sendWhole(json) };
      const { completion, seen } = givenCompletion({ routes: [upstream], longestKept, client });
      const plan = { ...completion.plan, maxOutputTokens: LONG_TEXT.length };
      const delivered = settled(deliverWhole, { ...completion, plan });
      upstream.calls[0]?.answer(LONG_TEXT);
      await delivered;
      expect(seen).toMatchObject({ charged: [{ outcome: 'completed' }], released: 0, refunded: 0 });
    },
  );
});

describe('a customer who leaves', () => {
  beforeEach(async () => {
    reader = await givenReader(timesOf(PATIENT_MS, PATIENT_MS));
  });

  it('has received what their connection had begun to take', async () => {
    const sent = send(LONG_TEXT);
    reader.socket.once('data', () => reader.socket.resetAndDestroy()).resume();
    await reader.closed;
    expect([sent.delivered, reader.channel.gone.aborted]).toEqual([1, true]);
  });

  /** Resets the connection, with or without this process noticing. */
  async function reset(isTold: boolean): Promise<void> {
    reader.socket.resetAndDestroy();
    if (isTold) await reader.closed;
    else spawnSync('sleep', ['0.2']);
    expect(reader.res.destroyed).toBe(isTold);
  }

  it.each([true, false])('before anything was written has received nothing (noticed: %s)', async (isTold) => {
    await reset(isTold);
    const sent = send('Hi');
    await reader.channel.flushed();
    await reader.closed;
    expect([sent.delivered, reader.channel.gone.aborted]).toEqual([0, true]);
  });

  it.each([
    ['a short', '{}', true],
    ['a short', '{}', false],
    ['a long', LONG_TEXT, true],
    ['a long', LONG_TEXT, false],
  ] as const)(
    'before %s non-streamed answer is written has received nothing of it',
    async (_length, text, isTold) => {
      await reset(isTold);
      expect(await reader.channel.sendWhole(text)).toBe(false);
    },
  );

  it('in the middle of a non-streamed answer may have received it', async () => {
    const begun = reader.channel.sendWhole(LONG_TEXT);
    reader.socket.once('data', () => reader.socket.resetAndDestroy()).resume();
    expect(await begun).toBe(true);
  });
});

it('a customer who reads receives everything', async () => {
  reader = await givenReader(timesOf(PATIENT_MS, PATIENT_MS));
  reader.socket.resume();
  const sent = [send('a'), send(LONG_TEXT), send('b')];
  await reader.channel.flushed();
  expect(sent).toEqual([{ delivered: 1 }, { delivered: 1 }, { delivered: 1 }]);
  reader.channel.endStream(IDENTITY, USAGE);
  await reader.closed;
  expect(reader.channel.gone.aborted).toBe(false);
});

describe('a customer who has left keeps no timer running', () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

  it.each<[string, (channel: RawReader['channel']) => unknown]>([
    ['a chunk', () => send('a')],
    ['a chunk that is long', () => send(LONG_TEXT)],
    [
      'the end',
      (channel) => {
        channel.endStream(IDENTITY, USAGE);
      },
    ],
    [
      'a failure',
      (channel) => {
        channel.failStream(new ApiError('upstream_timeout'));
      },
    ],
  ])('when their stream gets %s', async (_name, happen) => {
    reader = await givenReader(timesOf(PATIENT_MS, PATIENT_MS));
    reader.socket.resetAndDestroy();
    await reader.closed;
    const before = timers();
    happen(reader.channel);
    expect(timers()).toBe(before);
  });
});

import { Readable } from 'node:stream';
import { Agent } from 'undici';
import { WIRE_PATHS, type Wire } from '../gateway/conversation';
import { agentModelOf } from '../gateway/farebox-catalog';
import { codeIn } from './attacker';
import { percentileMs } from '../percentile';
import { type LoopDelay, type NeighboursHarness, startNeighboursHarness } from './harness';
import { CLIENT_PATHS, longBody, type BodyKind, type ClientWire } from './long-bodies';

const BYTES_PER_MIB = 1024 * 1024;
/** The gateway refuses longer ones: those that declare their length at once, those in chunks when they exceed it. */
export const SIZES_MIB = [0.4, 1, 4, 16] as const;
export const MOST_MIB = 4;
const WARM_UP_BYTES = 64 * 1024;
const WARM_UP_TIMES = 20;

/** How a request goes through the gateway. */
interface Way {
  client: ClientWire;
  server: Wire;
  isStream: boolean;
  isChunked: boolean;
}

const WIRES = Object.keys(WIRE_PATHS) as Wire[];

export const WAYS: readonly Way[] = [
  ...WIRES.flatMap((client) =>
    WIRES.flatMap((server) =>
      [false, true].map((isStream): Way => ({ client, server, isStream, isChunked: false })),
    ),
  ),
  { client: 'embeddings', server: 'chat', isStream: false, isChunked: false },
];

/** Longer bodies are refused before a model is looked for, so the server's wire is of no effect. */
const REFUSED_WAYS: readonly Way[] = (Object.keys(CLIENT_PATHS) as ClientWire[]).flatMap((client) =>
  [false, true].map((isChunked): Way => ({ client, server: 'chat', isStream: false, isChunked })),
);

/** A kind of body of one size, all ways together. */
export interface MeasuredBodies {
  kind: BodyKind;
  mib: number;
  /** Responses with their counts. */
  answers: Record<string, number>;
  /** How many delays were measured. */
  count: number;
  /** The longest delays, in descending order: enough for their p99.9. */
  longestMs: number[];
  ownLongestMs: number[];
  besidePausesMs: number[];
  /** The way with the longest delay that was the process's own. */
  worstWay: string;
}

export interface EventLoopOptions {
  /** For each way. */
  seconds: number;
  kinds: readonly BodyKind[];
  logFolder?: string | undefined;
}

interface EventLoopRun extends EventLoopOptions {
  say: (line: string) => void;
}

/** Sends long bodies one after the other, and measures how long the gateway's event loop is delayed. */
export async function measureEventLoop({
  seconds,
  kinds,
  logFolder,
  say,
}: EventLoopRun): Promise<MeasuredBodies[]> {
  const harness = await startNeighboursHarness({ history: 0, say, logFolder });
  const agent = new Agent({ connections: 4 });
  try {
    const measured: MeasuredBodies[] = [];
    for (const kind of kinds) {
      await harness.restartGateway();
      const caller = new Caller(harness, agent);
      for (const way of WAYS) await warmUp(caller, kind, way);
      for (const mib of SIZES_MIB) {
        const bodies = await measure(harness, caller, kind, mib, seconds * 1_000);
        say(`${kind.name}, ${String(mib)} MiB: ${toText(bodies)} ms (${bodies.worstWay})`);
        measured.push(bodies);
      }
    }
    return measured;
  } finally {
    await agent.destroy();
    await harness.stop();
  }
}

/** The p99.9 and the maximum of delays, of which the longest are given. */
export function figuresOf(longestMs: readonly number[], count: number): [p999Ms: number, maxMs: number] {
  return [percentileMs(longestMs, 0.999, count), longestMs[0] ?? 0];
}

function toText({ ownLongestMs, count }: MeasuredBodies): string {
  const [p999Ms, maxMs] = figuresOf(ownLongestMs, count);
  return `p99.9 ${p999Ms.toFixed(1)}, at most ${maxMs.toFixed(1)}`;
}

async function measure(
  harness: NeighboursHarness,
  caller: Caller,
  kind: BodyKind,
  mib: number,
  durationMs: number,
): Promise<MeasuredBodies> {
  const answers: Record<string, number> = {};
  const delays: (LoopDelay & { way: string })[] = [];
  for (const way of mib > MOST_MIB ? REFUSED_WAYS : WAYS) {
    const body = bodyOf(kind, way, mib * BYTES_PER_MIB);
    if (!body) continue;
    await harness.readLoopDelay();
    const endsAtMs = performance.now() + durationMs;
    do {
      const answer = await caller.ask(way, body);
      answers[answer] = (answers[answer] ?? 0) + 1;
    } while (performance.now() < endsAtMs);
    delays.push({ ...(await harness.readLoopDelay()), way: nameOf(way) });
  }
  const longest = (of: (delay: LoopDelay) => readonly number[]): number[] =>
    delays.flatMap(of).sort((a, b) => b - a);
  const ownLongestMs = longest((delay) => delay.ownLongestMs);
  return {
    ...{ kind, mib, answers, ownLongestMs },
    longestMs: longest((delay) => delay.longestMs),
    besidePausesMs: longest((delay) => delay.besidePausesMs),
    count: delays.reduce((sum, { count }) => sum + count, 0),
    worstWay: delays.find((delay) => delay.ownLongestMs[0] === ownLongestMs[0])?.way ?? '',
  };
}

async function warmUp(caller: Caller, kind: BodyKind, way: Way): Promise<void> {
  const body = bodyOf(kind, way, WARM_UP_BYTES);
  for (let time = 0; body && time < WARM_UP_TIMES; time++) await caller.ask(way, body);
}

function bodyOf(kind: BodyKind, { client, server, isStream }: Way, bytes: number): Buffer | undefined {
  return longBody(kind, client, { model: agentModelOf(server), bytes, isStream });
}

function nameOf({ client, server, isStream, isChunked }: Way): string {
  if (isChunked) return `${client} in chunks`;
  return client === 'embeddings' ? client : `${client} to ${server}${isStream ? ', streamed' : ''}`;
}

/** Uses the keys of many accounts, so that no limit of an account is reached. */
class Caller {
  readonly #harness: NeighboursHarness;
  readonly #agent: Agent;
  #calls = 0;

  constructor(harness: NeighboursHarness, agent: Agent) {
    this.#harness = harness;
    this.#agent = agent;
  }

  /** The status, and the code of an error. */
  async ask({ client, isChunked }: Way, body: Buffer): Promise<string> {
    const { gatewayOrigin: origin, victim } = this.#harness;
    const key = victim.apiKeys[this.#calls++ % victim.apiKeys.length] ?? '';
    try {
      const { statusCode, body: answer } = await this.#agent.request({
        ...{ origin, path: `/v1${CLIENT_PATHS[client]}`, method: 'POST' },
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: isChunked ? Readable.from(piecesOf(body)) : body,
      });
      const text = await answer.text();
      return statusCode === 200 ? '200' : `${String(statusCode)} ${codeIn(text)}`;
    } catch {
      // The refusal came while the body was sent.
      return 'cut';
    }
  }
}

const PIECE_BYTES = 64 * 1024;

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

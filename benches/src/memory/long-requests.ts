import { describeMachine, say, today, toMarkdownTable } from '../bench';
import { BareClient, toRequestBytes } from '../gateway/bare-client';
import { startUpstream } from '../gateway/contestants';
import { conversationOf, toBody } from '../gateway/conversation';
import { farebox, type FareboxContestant } from '../gateway/farebox';
import { modelNameOf } from '../gateway/farebox-catalog';
import { askForPace } from '../gateway/upstream-answers';
import { peakMibOf } from '../processes';
import { Refusals } from '../streams/load';
import { MemoryReader, type MemorySample } from '../streams/memory';

export interface LongRequestsOptions {
  requests: number;
  /** Of each prompt. */
  tokens: number;
  /** Half of V8's young generation; undefined: as in the image. */
  youngMib: number | undefined;
}

interface LongRequests {
  started: MemorySample;
  /** With all requests open, each time. */
  rounds: MemorySample[];
  peakMib: number;
  bodyKb: number;
}

/** The first ones find a process that has compiled nothing. */
const ROUNDS = 3;
/** Longer than it takes until all of them are open. */
const PACE = { chunks: 600, everyMs: 100 };

/** Memory of a gateway beside many requests of long conversations that run at once, as streams. */
export async function measureLongRequests(options: LongRequestsOptions): Promise<string> {
  const upstream = await startUpstream();
  try {
    const fare = await farebox(upstream, say, {
      fsync: false,
      probe: 'memory',
      ...(options.youngMib !== undefined && { youngMib: options.youngMib }),
    });
    try {
      return toReport(await measure(fare, options), options);
    } finally {
      await fare.stop();
    }
  } finally {
    await upstream.stop();
  }
}

async function measure(
  fare: FareboxContestant,
  { requests, tokens }: LongRequestsOptions,
): Promise<LongRequests> {
  const memory = new MemoryReader(fare.gateway);
  const bodies = Array.from({ length: requests }, (_, i) => toLongRequest(fare, tokens, i));
  const started = await memory.read();
  const rounds: MemorySample[] = [];
  const refusals = new Refusals(say);
  for (let round = 1; round <= ROUNDS; round++) {
    const clients = await fare.gateway.until(
      Promise.all(bodies.map((body) => openStream(fare, body, refusals))),
    );
    rounds.push(await memory.read());
    say(`round ${String(round)}: ${rounds.at(-1)?.residentMib.toFixed(0) ?? ''} MiB`);
    for (const client of clients) client.close();
    await fare.verify();
  }
  const bodyKb = (bodies[0]?.length ?? 0) / 1_000;
  return { started, rounds, peakMib: peakMibOf(fare.gateway) ?? Number.NaN, bodyKb };
}

/** A request of an agent whose answer takes a minute. */
function toLongRequest({ port, path, headers }: FareboxContestant, tokens: number, seed: number): Buffer {
  const conversation = conversationOf(tokens, seed);
  const system = `${askForPace(PACE)} ${conversation.system}`;
  const body = JSON.stringify(toBody('chat', { ...conversation, system }, modelNameOf(0), true));
  return toRequestBytes({
    ...{ host: '127.0.0.1', port, path, body },
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Returns the client of a request whose stream has begun. */
async function openStream(
  { port }: FareboxContestant,
  request: Buffer,
  refusals: Refusals,
): Promise<BareClient> {
  for (;;) {
    const client = await BareClient.open({ host: '127.0.0.1', port }, request);
    if (await refusals.during(untilBegun(client))) return client;
    client.close();
  }
}

function untilBegun(client: BareClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.ask(resolve).catch(reject);
  });
}

/** The promised resident memory of the gateway, in megabytes. */
const BOUND_MB = 250;
const MB_PER_MIB = 1.048_576;

function toReport(
  { started, rounds, peakMib, bodyKb }: LongRequests,
  { requests, tokens, youngMib }: LongRequestsOptions,
): string {
  const young = youngMib === undefined ? '' : ` --young ${String(youngMib)}`;
  const command = `npm run bench -- memory --requests ${String(requests)} --tokens ${String(tokens)}${young}`;
  const toLine = (name: string, sample: MemorySample): string[] => [
    name,
    ...[
      sample.residentMib,
      sample.residentCollectedMib,
      sample.heapMib,
      sample.externalMib,
      sample.youngMib,
    ].map((mib) => mib.toFixed(1)),
  ];
  const lines = [
    toLine('started', started),
    ...rounds.map((sample, i) => toLine(`${String(requests)} requests, round ${String(i + 1)}`, sample)),
  ];
  const peakMb = peakMib * MB_PER_MIB;
  return [
    `\`${command}\` on ${today()}. Machine: ${describeMachine()}. Node ${process.versions.node}.`,
    toMarkdownTable(['MiB', 'resident', 'resident, collected', 'heap', 'external', 'young'], lines),
    `${String(requests)} bodies of ${bodyKb.toFixed(0)} KB. The peak is ${peakMb.toFixed(0)} MB, ${peakMb <= BOUND_MB ? 'within' : 'OVER'} the bound of ${String(BOUND_MB)} MB.`,
  ].join('\n\n');
}

import { type RequestText, toRequestBytes } from './bare-client';
import type { Address, Contestant } from './contestants';
import { atTurn, type Conversation, conversationOf, STAMP, toBody } from './conversation';
import type { AgentLoad, Load } from './loads';
import { askForPace } from './upstream-answers';

const PROMPT = 'Tell me something that is worth the fare. '.repeat(4);

const chatBody = (prompt: string): object => ({ messages: [{ role: 'user', content: prompt }] });

/** Where a load goes at a contestant; undefined if the contestant does not serve such loads. */
function addressOf(contestant: Contestant, load: Load): Address | undefined {
  if (load.agent || load.manyKeys || load.outage) return contestant.addressFor?.(load);
  return contestant.servesPlain?.(load) === false ? undefined : contestant;
}

/** Whether a contestant takes part in a load. */
export function serves(contestant: Contestant, load: Load): boolean {
  const { beside } = load;
  return addressOf(contestant, load) !== undefined && (!beside || serves(contestant, beside));
}

/**
 * The requests of a connection: units, each of which is sent in turn and measured as a whole. Each connection has its
 * own texts.
 */
export class RequestCycle {
  readonly #units: readonly (readonly StampedRequest[])[];
  #next: number;

  constructor(contestant: Contestant, load: Load, connection: number) {
    this.#units = toRequests(contestant, load, connection).map((unit) => unit.map(toStamped));
    // Connections do not all begin with the same key.
    this.#next = connection;
  }

  /** The next unit. No other has had its texts; the turns of a session have them in common. */
  next(): Buffer[] {
    const unit = this.#units[this.#next++ % this.#units.length] ?? [];
    const digits = String(++stamped).padStart(STAMP.length - 1, '0');
    return unit.map(({ bytes, stamps }) => {
      for (const at of stamps) bytes.write(digits, at + 1, 'latin1');
      return bytes;
    });
  }
}

/** In this process: all contestants get different numbers. */
let stamped = 0;

interface StampedRequest {
  bytes: Buffer;
  /** The places of its stamps. */
  stamps: number[];
}

function toStamped(request: RequestText): StampedRequest {
  const bytes = toRequestBytes(request);
  const stamps: number[] = [];
  for (let at = bytes.indexOf(STAMP); at >= 0; at = bytes.indexOf(STAMP, at + 1)) stamps.push(at);
  return { bytes, stamps };
}

/** The units of a connection, as text. Throws if the contestant does not serve such loads. */
export function toRequests(contestant: Contestant, load: Load, connection = 0): RequestText[][] {
  const address = addressOf(contestant, load);
  if (!address) throw new Error(`${contestant.name} does not serve ${load.name}`);
  const { agent } = load;
  const bodies = agent
    ? agentBodies(address, load, agent, connection)
    : [plainBody(contestant, address, load)];
  const keys: readonly Record<string, string>[] = address.keys ?? [{}];
  return keys.map((key) =>
    bodies.map((body) => ({
      host: '127.0.0.1',
      port: contestant.port,
      path: address.path,
      headers: { 'content-type': 'application/json', ...address.headers, ...key },
      body: JSON.stringify(body),
    })),
  );
}

function plainBody(
  { toBody: toOwnBody = chatBody }: Contestant,
  { model = 'bench' }: Address,
  load: Load,
): object {
  const { pace, stream } = load;
  return {
    model,
    ...toOwnBody(pace ? askForPace(pace) : PROMPT),
    ...(stream ? { stream: true } : {}),
  };
}

function agentBodies(
  { model = 'bench' }: Address,
  { stream }: Load,
  { wires, tokens, turns }: AgentLoad,
  connection: number,
): object[] {
  const whole = remembered(tokens, connection);
  return Array.from({ length: turns }, (_, turn) =>
    toBody(wires.client, atTurn(whole, turn + 1, turns), model, stream),
  );
}

const conversations = new Map<string, Conversation>();

/** Making a long one takes a tenth of a second. */
function remembered(tokens: number, seed: number): Conversation {
  const key = `${String(tokens)} ${String(seed)}`;
  const conversation = conversations.get(key) ?? conversationOf(tokens, seed);
  conversations.set(key, conversation);
  return conversation;
}

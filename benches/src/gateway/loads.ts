import type { Wire } from './conversation';
import type { Pace } from './upstream-answers';

/** The wires of a request: its client's, and that of the upstream that serves it. */
export interface Wires {
  client: Wire;
  upstream: Wire;
}

export interface Load {
  name: string;
  connections: number;
  stream: boolean;
  /** The pace of the stream. Default: the upstream's own pace. */
  pace?: Pace;
  /** The requests of a coding agent, in place of a short prompt. */
  agent?: AgentLoad;
  /** Sent at the same time, and not measured. */
  beside?: Load;
  /** Each request comes with another of many keys. */
  manyKeys?: boolean;
  /** The first of two upstreams goes down in the middle of a round. */
  outage?: boolean;
}

export interface AgentLoad {
  wires: Wires;
  /** The prompt's, or that of a session's last turn. */
  tokens: number;
  /** Above one, what is measured is a whole session, whose turns each repeat the history. */
  turns: number;
}

type Loads = Readonly<Record<string, Load>>;

const USUAL: Loads = {
  'whole-1': { name: 'whole answers, 1 connection', connections: 1, stream: false },
  'whole-10': { name: 'whole answers, 10 connections', connections: 10, stream: false },
  'whole-64': { name: 'whole answers, 64 connections', connections: 64, stream: false },
  'paced-2': {
    name: '64 streams, an event each 2 ms',
    connections: 64,
    stream: true,
    pace: { chunks: 50, everyMs: 2 },
  },
  'paced-20': {
    name: '64 streams, an event each 20 ms',
    connections: 64,
    stream: true,
    pace: { chunks: 50, everyMs: 20 },
  },
  bursts: {
    name: '16 streams in bursts, 52 events at once',
    connections: 16,
    stream: true,
    pace: { chunks: 49, everyMs: 0 },
  },
};

const SIZES = { '100': 100, '1k': 1_000, '10k': 10_000, '100k': 100_000 };
const CONNECTIONS = [1, 8];

/** By their names in those of loads. */
const WIRES: Readonly<Record<string, Wires>> = {
  chat: { client: 'chat', upstream: 'chat' },
  messages: { client: 'messages', upstream: 'messages' },
  responses: { client: 'responses', upstream: 'responses' },
  'messages-chat': { client: 'messages', upstream: 'chat' },
  'responses-chat': { client: 'responses', upstream: 'chat' },
  'chat-messages': { client: 'chat', upstream: 'messages' },
};

const PROMPTS: Loads = Object.fromEntries(
  Object.entries(WIRES).flatMap(([wiresName, wires]) =>
    Object.entries(SIZES).flatMap(([size, tokens]) =>
      [false, true].flatMap((stream) =>
        CONNECTIONS.map((connections): [string, Load] => [
          `${size}-${wiresName}-${stream ? 'stream' : 'whole'}-${String(connections)}`,
          {
            name: `${tokens.toLocaleString('en')} tokens, ${toArrow(wires)}, ${stream ? 'streamed' : 'whole'}, ${String(connections)} at once`,
            connections,
            stream,
            agent: { wires, tokens, turns: 1 },
          },
        ]),
      ),
    ),
  ),
);

const TURNS = 40;
const SESSION_TOKENS = 60_000;

const SESSIONS: Loads = Object.fromEntries(
  ['chat', 'messages', 'responses', 'messages-chat'].flatMap((wiresName): [string, Load][] => {
    const wires = WIRES[wiresName];
    if (!wires) return [];
    const name = `a session of ${String(TURNS)} turns, ${toArrow(wires)}`;
    const agent = { wires, tokens: SESSION_TOKENS, turns: TURNS };
    return [[`session-${wiresName}`, { name, connections: 1, stream: true, agent }]];
  }),
);

const SHORT: Load = { name: 'short prompts, 8 at once', connections: 8, stream: false };
const LONG = PROMPTS['100k-chat-whole-1'];

const OTHERS: Loads = {
  short: SHORT,
  'head-of-line': {
    ...SHORT,
    name: 'the same beside one of 100,000 tokens after the other',
    ...(LONG ? { beside: LONG } : {}),
  },
  'whole-16': { name: 'whole answers, 16 connections', connections: 16, stream: false },
  keys: {
    name: 'whole answers, 64 connections, 1,000 keys in turn',
    connections: 64,
    stream: false,
    manyKeys: true,
  },
  failover: {
    name: 'whole answers after 20 ms, 16 connections, the first upstream fails',
    connections: 16,
    stream: false,
    outage: true,
  },
};

/** By the short names for --loads. */
export const LOADS: Loads = { ...USUAL, ...PROMPTS, ...SESSIONS, ...OTHERS };

/** Names for several loads at once. */
export const LOAD_GROUPS: Readonly<Record<string, readonly string[]>> = {
  usual: Object.keys(USUAL),
  agents: [
    // Others are compared with the shortest on the commonest wire.
    ...Object.keys(PROMPTS).filter((name) => !name.startsWith('100-') || name.startsWith('100-chat-whole')),
    ...Object.keys(SESSIONS),
    ...['short', 'head-of-line', 'whole-64', 'keys', 'failover'],
  ],
};

/**
 * The loads that a text selects: names, groups and patterns with `*`, with commas between; each once, in the order of
 * the tables. Throws with one sentence if a part selects none.
 */
export function selectLoads(text: string): string[] {
  const selected = new Set(
    text.split(',').flatMap((part) => {
      const names = (Object.hasOwn(LOAD_GROUPS, part) ? LOAD_GROUPS[part] : undefined) ?? matching(part);
      if (names.length === 0) throw new Error(`--loads knows no "${part}"; see --help.`);
      return names;
    }),
  );
  return Object.keys(LOADS).filter((name) => selected.has(name));
}

function matching(pattern: string): string[] {
  if (!/^[a-z0-9*-]+$/.test(pattern)) return [];
  const names = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
  return Object.keys(LOADS).filter((name) => names.test(name));
}

/** `messages → chat`, or one name if both are the same. */
export function toArrow({ client, upstream }: Wires): string {
  return client === upstream ? client : `${client} → ${upstream}`;
}

import { parseArgs } from 'node:util';
import { positiveOption } from '../bench';
import { LOAD_GROUPS, LOADS, selectLoads, type Load } from './loads';
import { WARM_UP_SECONDS, type Rounds } from './rounds';

export interface GatewayBenchOptions extends Rounds {
  /** The contestants, by their short names. */
  only: readonly ContestantName[];
  /** The loads, by their short names. */
  loads: readonly string[];
  /** The command of LiteLLM. */
  litellm: string;
  /** The page to write, if any, and the command in its comment. */
  page: { file: string; command: string } | undefined;
  /** Only this gateway under this load, with the distribution of its processor time. */
  profile: Load | undefined;
  /** Only this gateway, with the files that one stream goes through. */
  files: boolean;
  /** Whether PostgreSQL waits for the disk at a commit. */
  fsync: boolean;
  /** The given value, to be written with the tables. */
  commandLine: string;
}

/** In the order of the tables, after the upstream itself. */
export const CONTESTANTS = [
  'dispatch',
  'request',
  'floor',
  'floor-ledger',
  'farebox',
  'portkey',
  'llms',
  'litellm',
] as const;
export type ContestantName = (typeof CONTESTANTS)[number];

const COMMAND = 'npm run bench';
const AGENTS = 'agents';
const USUAL_PAGE = { file: 'docs/benchmarks/README.md', command: COMMAND };
const AGENTS_PAGE = { file: 'docs/benchmarks/agents.md', command: `${COMMAND} -- gateway --loads ${AGENTS}` };

export const HELP = `npm run bench    (or npm run bench -- gateway) this gateway beside bare proxies and other gateways, before the same fast upstream

  --seconds <n>        length of a round                   (4)
  --rounds <n>         rounds of each, in turn             (5)
  --warm-up <n>        seconds of each before the first    (${String(WARM_UP_SECONDS)})
  --only <names>       some of them, with commas between: ${CONTESTANTS.join(', ')}
  --loads <names>      other loads: names, groups, or patterns with *, with commas between; see below
  --no-portkey         leave Portkey out
  --litellm <command>  how LiteLLM's proxy is called here  (litellm)
  --no-write           leave ${USUAL_PAGE.file} as it is, or ${AGENTS_PAGE.file} for --loads ${AGENTS};
                       so do --only and other --loads
  --no-fsync           PostgreSQL does not wait for the disk at a commit
  --profile            this gateway alone: where its processor time goes under whole answers at 64 connections, or the
                       load that --loads names
  --files              this gateway alone: the source files whose functions one streamed completion calls

Loads:
  usual         ${LOAD_GROUPS['usual']?.join(', ') ?? ''}; they run unless --loads names others
  whole-16      whole answers at 16 connections
  agents        what coding agents send: all of the following (of 100 tokens those of chat, whole), and whole-64
  <size>-<wires>-<whole|stream>-<1|8>
                prompts of 100, 1k, 10k or 100k tokens, in bodies of 0.5, 4, 43 and 426 KB; wires are
                chat, messages, responses, or those of client and upstream: messages-chat, responses-chat,
                chat-messages; 1 or 8 at once. Patterns: 10k-*, *-messages-chat-*-1
  session-<wires>
                40 turns, each with the whole history, measured as one; chat, messages, responses, messages-chat
  short, head-of-line
                short prompts at 8 connections, alone and beside one long prompt after the other
  keys          whole answers at 64 connections, with the keys of 1,000 customers in turn
  failover      whole answers at 16 connections, while the first of two upstreams fails in the middle of a round

A look that takes less than a minute: --loads '100k-chat-whole-*' --only dispatch,farebox --seconds 1 --rounds 2 --warm-up 3

With the usual loads it takes about 30 minutes, on a machine that does nothing else; with --loads agents, --seconds 1 and
--rounds 3 about 35. This gateway runs in full: its built process, a PostgreSQL of its own that waits for the disk, Redis,
a durable hold and a charge for each request. The books are verified at the end. The floors do that durable work and
nothing else. Portkey and llms are installed from npm into .farebox/bench, once; LiteLLM is measured if it is on this
machine. Needs Linux: processor time is read from /proc. The command fails if a contestant answered errors.
All benches: npm run bench -- --help.`;

/** Throws with one sentence if the arguments are invalid. */
export function readOptions(args: string[]): GatewayBenchOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '5' },
      'warm-up': { type: 'string', default: String(WARM_UP_SECONDS) },
      only: { type: 'string' },
      loads: { type: 'string' },
      'no-portkey': { type: 'boolean', default: false },
      litellm: { type: 'string', default: 'litellm' },
      'no-write': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      files: { type: 'boolean', default: false },
      'no-fsync': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const loads = selectLoads(values.loads ?? 'usual');
  if (values.profile && values.loads !== undefined && loads.length > 1)
    throw new Error('--profile is of one load.');
  const everybody = CONTESTANTS.filter((name) => !(name === 'portkey' && values['no-portkey']));
  const page = values.loads === undefined ? USUAL_PAGE : values.loads === AGENTS ? AGENTS_PAGE : undefined;
  return {
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    warmUp: positiveOption('warm-up', values['warm-up']),
    only: values.only === undefined ? everybody : contestantsOf(values.only),
    loads,
    litellm: values.litellm,
    page: values['no-write'] || values.only !== undefined ? undefined : page,
    profile: values.profile ? LOADS[values.loads === undefined ? 'whole-64' : (loads[0] ?? '')] : undefined,
    files: values.files,
    fsync: !values['no-fsync'],
    commandLine: args.length === 0 ? COMMAND : `${COMMAND} -- gateway ${args.join(' ')}`,
  };
}

/** In the order of the tables, whatever the order of the arguments. */
function contestantsOf(text: string): ContestantName[] {
  const names = text.split(',');
  const unknown = names.find((name) => !CONTESTANTS.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only knows no "${unknown}", but ${CONTESTANTS.join(', ')}.`);
  return CONTESTANTS.filter((name) => names.includes(name));
}

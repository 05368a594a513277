import { parseArgs } from 'node:util';
import { positiveOption } from '../figures';

export interface UsageBenchOptions {
  requests: number;
  seconds: number;
  rounds: number;
  connections: number;
  /** Whether docs/benchmarks-usage.md is written. */
  write: boolean;
}

/** The smaller history beside the one that is asked for. */
export const SMALLER_BY = 10;

export const HELP = `npm run bench -- usage    what the usage endpoints take beside ten million old requests, and beside a million

  --requests <n>      old requests of the larger history; the smaller has a tenth    (10000000)
  --seconds <n>       length of a round                                               (3)
  --rounds <n>        rounds of each endpoint on each history, in turn                (3)
  --connections <n>   how many ask at once, each waiting for its answer               (8)
  --no-write          leave docs/benchmarks-usage.md as it is

It runs the built account service on a PostgreSQL of its own. Ten million requests take some minutes to make and about
8 GB of disk, which are given back at the end.`;

/** Throws with one sentence if the arguments are not as they must be. */
export function readOptions(args: string[]): UsageBenchOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: 'string', default: '10000000' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '8' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const requests = positiveOption('requests', values.requests);
  if (requests < MOST_TURNS * SMALLER_BY) {
    throw new Error(
      `--requests takes ${String(MOST_TURNS * SMALLER_BY)} or more: each account must make some.`,
    );
  }
  return {
    requests,
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    connections: positiveOption('connections', values.connections),
    write: !values['no-write'],
  };
}

/** Turns of all accounts together: below it, some would have made no request. */
const MOST_TURNS = 1_000;

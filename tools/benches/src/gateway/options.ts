import { parseArgs } from 'node:util';
import { positiveOption } from '../figures';

export interface GatewayBenchOptions {
  seconds: number;
  rounds: number;
  /** Whether Portkey's gateway is measured too. */
  portkey: boolean;
  /** Whether docs/benchmarks.md is written. */
  write: boolean;
  /** Only this gateway under whole answers at 64 connections, and where its processor time goes. */
  profile: boolean;
  /** Whether PostgreSQL waits for the disk at a commit. */
  fsync: boolean;
}

export const HELP = `npm run bench -- gateway    this gateway beside bare proxies and Portkey's, on the same fast upstream

  --seconds <n>     length of a round                      (5)
  --rounds <n>      rounds of each contestant, in turn     (5)
  --no-portkey      leave Portkey out: it is installed from npm into .farebox/bench the first time
  --no-write        leave docs/benchmarks.md as it is
  --no-fsync        PostgreSQL does not wait for the disk at a commit
  --profile         this gateway alone, whole answers at 64 connections: where its processor time goes

This gateway runs in full: its built process, a PostgreSQL that waits for the disk, Redis, a durable hold and a charge
for each request. The books are verified at the end. Needs Linux: processor time is read from /proc.`;

/** Throws with one sentence if the arguments are not as they must be. */
export function readOptions(args: string[]): GatewayBenchOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      'no-portkey': { type: 'boolean', default: false },
      'no-write': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      'no-fsync': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    portkey: !values['no-portkey'],
    write: !values['no-write'],
    profile: values.profile,
    fsync: !values['no-fsync'],
  };
}

import { parseArgs } from 'node:util';
import { positiveOption } from '../figures';

export interface BenchOptions {
  seconds: number;
  rounds: number;
  callers: number;
  connections: number;
  history: number;
  contended: boolean;
  fsync: boolean;
}

export const HELP = `npm run bench -- ledger                          hold + charge pairs a second, batched beside one call each
npm run bench -- ledger --history 10000000     the same on an empty ledger beside one with so many old requests
npm run bench -- ledger --contended            two gateways on hot accounts, with and without one account that is locked

  --seconds <n>       length of a round                         (5)
  --rounds <n>        rounds of each design, in turn            (5)
  --callers <n>       callers who wait for their answers        (256)
  --connections <n>   of the design with one call each          (16)
  --history <n>       old requests, made before; minutes        (none)
  --no-fsync          do not wait for the disk at a commit

It runs on a PostgreSQL of its own, with all rules, counters and counts by the hour in force; one request in ten has
an Idempotency-Key and a kept answer of 2 KiB. The books are verified at the end.`;

/** Throws with one sentence if the arguments are not as they must be. */
export function readOptions(args: string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      callers: { type: 'string', default: '256' },
      connections: { type: 'string', default: '16' },
      history: { type: 'string', default: '0' },
      contended: { type: 'boolean', default: false },
      'no-fsync': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    callers: positiveOption('callers', values.callers),
    connections: Math.max(2, positiveOption('connections', values.connections)),
    history: values.history === '0' ? 0 : positiveOption('history', values.history),
    contended: values.contended,
    fsync: !values['no-fsync'],
  };
}

import { parseArgs } from 'node:util';
import { positiveOption } from '../figures';
import { ATTACKS, type Attack } from './attacker/attacks';

export interface NeighboursOptions {
  seconds: number;
  rounds: number;
  attacks: readonly Attack[];
  /** Old requests in the database, most of them the attacker's. */
  history: number;
  /** Where the services' logs are kept, if anywhere. */
  logFolder?: string | undefined;
  /** Where the table is written, if anywhere, from the checkout's root. */
  out: string | undefined;
  /** As it was given, to be written down with the table. */
  commandLine: string;
}

const FILE = 'docs/benchmarks-neighbours.md';
const WIDTH = 24;

export const HELP = `npm run bench -- neighbours                          a customer with a steady load, beside one attacker at a time
npm run bench -- neighbours --only row-lock,cjk   beside some of them; nothing is written to docs/

  --seconds <n>    length of a part, with the attacker and without    (5)
  --rounds <n>     rounds for each attacker                           (3)
  --history <n>    old requests in the database                       (500000)
  --only <names>   some attackers, by name, with commas between
  --logs <folder>  keep the logs of all services there
  --out <file>     where the table is written; with --only it is printed alone where this is not given
                                                       (docs/benchmarks-neighbours.md)
  --no-write       print the table alone

It runs the built gateway, account service and worker on a PostgreSQL and a Redis of its own, with the limits that they
have where nothing is set. The gateway is started anew for each attacker. In each round the customer is alone first, and
then beside the attacker. With everything it takes about ten minutes.

${ATTACKS.map(({ name, what }) => `  ${name.padEnd(WIDTH)} ${what}`).join('\n')}`;

/** Throws with one sentence if the arguments are not as they must be. */
export function readOptions(args: string[]): NeighboursOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      history: { type: 'string', default: '500000' },
      logs: { type: 'string' },
      only: { type: 'string' },
      out: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const attacks = values.only === undefined ? ATTACKS : values.only.split(',').map(attackNamed);
  return {
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    history: positiveOption('history', values.history),
    attacks,
    logFolder: values.logs,
    out: values['no-write'] ? undefined : (values.out ?? (values.only === undefined ? FILE : undefined)),
    commandLine: ['npm run bench -- neighbours', ...args].join(' '),
  };
}

function attackNamed(name: string): Attack {
  const attack = ATTACKS.find((one) => one.name === name);
  if (!attack) throw new Error(`--only knows no attacker "${name}": see --help.`);
  return attack;
}

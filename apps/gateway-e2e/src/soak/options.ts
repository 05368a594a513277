import { readValues, wholeNumber } from '../command-line';

export interface SoakOptions {
  seed: string;
  minutes: number;
  /** From the end of one fault to the next. */
  everySeconds: number;
  clients: number;
  /** Folder for the processes' logs, if they are kept. */
  logFolder?: string | undefined;
}

export const HELP = `npm run soak-test                      run the service under load and faults for four hours, and look for what grows
npm run soak-test -- --minutes 30      a shorter run

  --minutes <n>      how long                                              (240)
  --every <seconds>  pause between faults                                  (180)
  --clients <n>      clients, each with a second between its requests      (16)
  --seed <text>      seed of the random choices                            (FAREBOX_TEST_SEED, else a new one)
  --logs <folder>    keep the logs of all processes there

It needs Linux. It runs with its own PostgreSQL and Redis, two built gateways and the worker. Every few minutes the first gateway
or the worker is killed, the first gateway is paused past its lease, PostgreSQL is crashed, or connections are ended, as in the
crash test; every fifth time the migration runs beside the traffic instead. The second gateway is never touched: its memory and
its open files, the connections of PostgreSQL and its tables that are changed again and again must not grow. At the end every
answer must have been charged exactly once, and nothing else.`;

/** `seed` is the default. Throws `OptionsError`. */
export function readOptions(args: string[], { seed }: { seed: string }): SoakOptions | 'help' {
  const values = readValues(args, {
    minutes: { type: 'string', default: '240' },
    every: { type: 'string', default: '180' },
    clients: { type: 'string', default: '16' },
    seed: { type: 'string', default: seed },
    logs: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) return 'help';
  return {
    seed: values.seed,
    minutes: wholeNumber('minutes', values.minutes, 1),
    everySeconds: wholeNumber('every', values.every, 1),
    clients: wholeNumber('clients', values.clients, 1),
    logFolder: values.logs,
  };
}

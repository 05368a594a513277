import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { positiveOption, say, writeSection } from '../bench';
import { type AttackerSetting, sleep } from './attacker';
import { type Attack, ATTACKS } from './attacks';
import { BODIES_HELP, runBodiesBench } from './bodies-bench';
import { type NeighboursHarness, startNeighboursHarness } from './harness';
import {
  errorsOf,
  toReport,
  toSection,
  Victim,
  type VictimPart,
  type NeighboursOptions,
  type MeasuredAttack,
  type Round,
  type MeasuredPart,
} from './victim';

const COMMAND = 'npm run bench -- neighbours';
const FILE = 'docs/benchmarks/neighbours.md';
const WIDTH = 24;

export const HELP = `npm run bench -- neighbours                          a customer with a steady load, beside one attacker at a time
npm run bench -- neighbours --only row-lock,cjk   beside some of them; nothing is written to docs/
npm run bench -- neighbours --bodies              the delay of the gateway's event loop with long bodies of every kind,
                                                  --seconds for each way through the gateway

  --seconds <n>    length of a part, with the attacker and without    (5)
  --rounds <n>     rounds for each attacker                           (3)
  --history <n>    old requests in the database                       (500000)
  --only <names>   some attackers, or kinds of bodies, by name, with commas between
  --logs <folder>  keep the logs of all services there
  --out <file>     the page with a place for it that it is written to; with --only it is printed alone, unless this is given
                                                       (docs/benchmarks/neighbours.md)
  --no-write       print the table alone

It runs the built gateway, account service and worker on a PostgreSQL and a Redis of its own, with the limits that they
have where nothing is set. The gateway is started again for each attacker. In each round the customer is alone first, and
then beside the attacker. With everything it takes about ten minutes.

${ATTACKS.map(({ name, what }) => `  ${name.padEnd(WIDTH)} ${what}`).join('\n')}

Bodies, for --bodies:

${BODIES_HELP}`;

/** Throws with one sentence if the arguments are invalid. */
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
    commandLine: [COMMAND, ...args].join(' '),
  };
}

function attackNamed(name: string): Attack {
  const attack = ATTACKS.find((one) => one.name === name);
  if (!attack) throw new Error(`--only knows no attacker "${name}": see --help.`);
  return attack;
}

export async function runNeighboursBench(args: string[]): Promise<void> {
  const others = args.filter((arg) => arg !== '--bodies');
  if (others.length < args.length && !others.includes('--help')) {
    await runBodiesBench(others);
    return;
  }
  const options = readOptions(others);
  if (options === 'help') {
    say(HELP);
    return;
  }
  const { logFolder } = options;
  if (logFolder !== undefined) mkdirSync(logFolder, { recursive: true });
  const { measured, postgresVersion } = await runNeighbours({ ...options, say });
  say(`\n${toReport(measured)}`);
  if (options.out !== undefined) {
    const section = toSection(measured, options, { postgresVersion, date: new Date() });
    say(writeSection(options.out, COMMAND, section));
  }
  if (measured.some(({ rounds }) => errorsOf(rounds) > 0)) process.exitCode = 1;
}

interface NeighboursResult {
  measured: MeasuredAttack[];
  postgresVersion: string;
}

interface NeighboursRun extends Omit<NeighboursOptions, 'out' | 'commandLine'> {
  say: (line: string) => void;
}

const WARM_UP_MS = 1_000;
const REST_MS = 500;
/** Streams that their client left, or does not read, are settled by then. */
const SETTLED_WITHIN_MS = 45_000;
const LOOK_EVERY_MS = 100;

/** Starts the service, and measures the victim beside each attacker in turn. */
export async function runNeighbours(run: NeighboursRun): Promise<NeighboursResult> {
  const harness = await startNeighboursHarness(run);
  try {
    const measured: MeasuredAttack[] = [];
    for (const attack of run.attacks) measured.push(await measure(run, harness, attack));
    const { rows } = await harness.pool.query<{ version: string }>(
      `SELECT current_setting('server_version') AS version`,
    );
    return { measured, postgresVersion: rows[0]?.version ?? 'unknown' };
  } finally {
    await harness.stop();
  }
}

async function measure(
  { seconds, rounds: count, say }: NeighboursRun,
  harness: NeighboursHarness,
  attack: Attack,
): Promise<MeasuredAttack> {
  await harness.restartGateway();
  const victim = new Victim({ ...harness, ...harness.victim });
  const rounds: Round[] = [];
  try {
    await victim.ask(WARM_UP_MS);
    for (let number = 1; number <= count; number++) {
      const alone = await observe(harness, () => victim.ask(seconds * 1_000));
      const durationMs = Math.max(seconds, attack.leastSeconds ?? 0) * 1_000;
      const attacker = await startAttacker(harness, attack, durationMs);
      const beside = await observe(harness, () => victim.ask(durationMs));
      const answers = await attacker.ended();
      rounds.push({ alone, beside, answers });
      const errors = Object.entries(beside.errors).map(([what, times]) => `${String(times)} × ${what}`);
      say(
        `${attack.name}, round ${String(number)}: ${errors.join(', ') || 'no error'}; it was told ${JSON.stringify(answers)}`,
      );
      await sleep(REST_MS);
    }
  } finally {
    await victim.close();
  }
  return { attack, rounds, peakMib: harness.peakMib(), openHolds: await settledHolds(harness) };
}

/** Number of holds that are left when everything must have ended. */
async function settledHolds({ pool }: NeighboursHarness): Promise<number> {
  const endsAtMs = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM hold');
    const count = Number(rows[0]?.count);
    if (count === 0 || performance.now() > endsAtMs) return count;
    await sleep(LOOK_EVERY_MS);
  }
}

async function observe(harness: NeighboursHarness, ask: () => Promise<VictimPart>): Promise<MeasuredPart> {
  await harness.readLoopDelay();
  const [cpuBefore, begunAtMs] = [harness.cpuMs(), performance.now()];
  const part = await ask();
  const [cpuAfter, passedMs] = [harness.cpuMs(), performance.now() - begunAtMs];
  const percentOf = (app: 'gateway' | 'account' | 'postgres'): number =>
    (100 * ((cpuAfter?.[app] ?? Number.NaN) - (cpuBefore?.[app] ?? Number.NaN))) / passedMs;
  const cpuPercent =
    cpuAfter && cpuBefore
      ? { gateway: percentOf('gateway'), account: percentOf('account'), postgres: percentOf('postgres') }
      : undefined;
  return { ...part, loop: await harness.readLoopDelay(), cpuPercent };
}

interface RunningAttacker {
  /** Its responses with their counts. */
  ended(): Promise<Record<string, number>>;
}

/** In a separate process: the cost of attacking must not delay the victim's own clock. */
async function startAttacker(
  { gatewayOrigin, accountOrigin, ownerUrl, attacker }: NeighboursHarness,
  { name }: Attack,
  durationMs: number,
): Promise<RunningAttacker> {
  const setting: AttackerSetting = { gatewayOrigin, accountOrigin, ownerUrl, durationMs, ...attacker };
  const service = ServiceProcess.start({
    name: `attacker ${name}`,
    args: [path.join(workspaceRoot(), 'dist/benches/neighbours-attacker.js'), name, JSON.stringify(setting)],
    env: { PATH: process.env['PATH'] },
  });
  await service.until(service.output.waitForLine('"event":"ready"'));
  return {
    async ended() {
      await service.exited;
      const line = service.output.last(Infinity).find((one) => one.includes('"event":"done"'));
      if (line === undefined) return { 'the attacker failed': 1 };
      return (JSON.parse(line) as { answers: Record<string, number> }).answers;
    },
  };
}

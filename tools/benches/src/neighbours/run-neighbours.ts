import path from 'node:path';
import { ServiceProcess, workspaceRoot } from '@farebox/local-services';
import type { AttackerSetting } from './attacker/attacker';
import type { Attack } from './attacker/attacks';
import type { NeighboursOptions } from './options';
import { startNeighboursStand, type LoopDelay, type NeighboursStand } from './stand';
import { Victim, type VictimPart } from './victim';

/** The victim for a while, alone or beside the attacker. */
export interface MeasuredPart extends VictimPart {
  loop: LoopDelay;
  /** Share of one processor in hundredths; undefined if there is no /proc. */
  cpuPercent: { gateway: number; account: number; postgres: number } | undefined;
}

export interface Round {
  alone: MeasuredPart;
  beside: MeasuredPart;
  /** What the attacker was answered, and how often. */
  answers: Record<string, number>;
}

export interface MeasuredAttack {
  attack: Attack;
  rounds: Round[];
  /** Holds of the attacker and the victim that are open although nothing runs. */
  openHolds: number;
}

export interface NeighboursResult {
  measured: MeasuredAttack[];
  postgresVersion: string;
}

export interface NeighboursRun extends Omit<NeighboursOptions, 'out' | 'commandLine'> {
  say: (line: string) => void;
}

const WARM_UP_MS = 1_000;
const REST_MS = 500;
/** Streams that their client left, or does not read, are settled by then. */
const SETTLED_WITHIN_MS = 45_000;
const LOOK_EVERY_MS = 100;

/** Starts the service, and looks at the victim beside each attacker in turn. */
export async function runNeighbours(run: NeighboursRun): Promise<NeighboursResult> {
  const stand = await startNeighboursStand(run);
  try {
    const measured: MeasuredAttack[] = [];
    for (const attack of run.attacks) measured.push(await measure(run, stand, attack));
    const { rows } = await stand.pool.query<{ version: string }>(
      `SELECT current_setting('server_version') AS version`,
    );
    return { measured, postgresVersion: rows[0]?.version ?? 'unknown' };
  } finally {
    await stand.stop();
  }
}

async function measure(
  { seconds, rounds: count, say }: NeighboursRun,
  stand: NeighboursStand,
  attack: Attack,
): Promise<MeasuredAttack> {
  await stand.restartGateway();
  const victim = new Victim({ ...stand, ...stand.victim });
  const rounds: Round[] = [];
  try {
    await victim.ask(WARM_UP_MS);
    for (let number = 1; number <= count; number++) {
      const alone = await observe(stand, () => victim.ask(seconds * 1_000));
      const durationMs = Math.max(seconds, attack.leastSeconds ?? 0) * 1_000;
      const attacker = await startAttacker(stand, attack, durationMs);
      const beside = await observe(stand, () => victim.ask(durationMs));
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
  return { attack, rounds, openHolds: await settledHolds(stand) };
}

/** How many holds are left when all that runs must have come to its end. */
async function settledHolds({ pool }: NeighboursStand): Promise<number> {
  const endsAtMs = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM hold');
    const count = Number(rows[0]?.count);
    if (count === 0 || performance.now() > endsAtMs) return count;
    await sleep(LOOK_EVERY_MS);
  }
}

async function observe(stand: NeighboursStand, ask: () => Promise<VictimPart>): Promise<MeasuredPart> {
  await stand.readLoopDelay();
  const [cpuBefore, begunAtMs] = [stand.cpuMs(), performance.now()];
  const part = await ask();
  const [cpuAfter, passedMs] = [stand.cpuMs(), performance.now() - begunAtMs];
  const percentOf = (app: 'gateway' | 'account' | 'postgres'): number =>
    (100 * ((cpuAfter?.[app] ?? Number.NaN) - (cpuBefore?.[app] ?? Number.NaN))) / passedMs;
  const cpuPercent =
    cpuAfter && cpuBefore
      ? { gateway: percentOf('gateway'), account: percentOf('account'), postgres: percentOf('postgres') }
      : undefined;
  return { ...part, loop: await stand.readLoopDelay(), cpuPercent };
}

interface RunningAttacker {
  /** What it was answered, by how often. */
  ended(): Promise<Record<string, number>>;
}

/** In a process of its own: what it costs to attack must not delay the victim's own clock. */
async function startAttacker(
  { gatewayOrigin, accountOrigin, ownerUrl, attacker }: NeighboursStand,
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

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

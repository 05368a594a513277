import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { startBenchPostgres } from '../postgres';
import { runUsageLoad } from './load';
import { HELP, readOptions, SMALLER_BY, type UsageBenchOptions } from './options';
import { questionsOf } from './load';
import { roundOf, toDocument, toReport, type Measured, type UsageRound } from './report';
import { startUsageHarness, type UsageHarness } from './harness';

const WARM_UP_MS = 1_000;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    say(HELP);
    return;
  }
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const postgres = await startBenchPostgres({ fsync: true });
    stops.push(() => postgres.remove());
    const harnesses: UsageHarness[] = [];
    for (const requests of [Math.floor(options.requests / SMALLER_BY), options.requests]) {
      say(`A history of ${requests.toLocaleString('en')} requests`);
      const harness = await startUsageHarness(postgres, requests, say);
      stops.push(() => harness.stop());
      harnesses.push(harness);
    }
    const [smaller, larger] = harnesses;
    if (!smaller || !larger) throw new Error('there are no two histories');
    const measured = await measure(options, smaller, larger);
    say(`\n${toReport(measured, options)}`);
    if (options.write) await write(measured, options, larger);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Each question on both histories in turn, over and over: what the machine does meanwhile hits both. */
async function measure(
  options: UsageBenchOptions,
  smaller: UsageHarness,
  larger: UsageHarness,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const [i, { name }] of larger.readers.entries()) {
    const asks = [await asksOf(options, smaller, i), await asksOf(options, larger, i)];
    const questions = asks[0]?.map(({ question }) => question) ?? [];
    for (const [n, question] of questions.entries()) {
      say(`${name}: ${question}`);
      const rounds: [UsageRound[], UsageRound[]] = [[], []];
      for (const ask of asks) await ask[n]?.run(WARM_UP_MS);
      for (let round = 0; round < options.rounds; round++) {
        for (const side of [0, 1] as const) {
          const measuredRound = await asks[side]?.[n]?.run(options.seconds * 1_000);
          if (measuredRound) rounds[side].push(measuredRound);
        }
      }
      measured.push({ reader: name, question, smaller: rounds[0], larger: rounds[1] });
    }
  }
  return measured;
}

interface Ask {
  question: string;
  run(durationMs: number): Promise<UsageRound>;
}

async function asksOf(
  { connections }: UsageBenchOptions,
  harness: UsageHarness,
  index: number,
): Promise<Ask[]> {
  const { pool, origin, readers } = harness;
  const reader = readers[index];
  if (!reader) return [];
  const { sessionToken } = reader;
  return (await questionsOf(pool, reader)).map(({ name, paths }) => ({
    question: name,
    async run(durationMs) {
      const before = harness.cpuMs();
      const latenciesMs = await runUsageLoad({ origin, sessionToken, paths, connections, durationMs });
      const after = harness.cpuMs();
      return roundOf(latenciesMs, before === undefined || after === undefined ? undefined : after - before);
    },
  }));
}

async function write(
  measured: Measured[],
  options: UsageBenchOptions,
  { pool }: UsageHarness,
): Promise<void> {
  const { rows } = await pool.query<{ version: string }>(
    `SELECT current_setting('server_version') AS version`,
  );
  const file = path.join(workspaceRoot(), 'docs/benchmarks-usage.md');
  const place = { postgresVersion: rows[0]?.version ?? 'unknown', date: new Date() };
  writeFileSync(file, toDocument(measured, options, place));
  say(`Written to ${path.relative(workspaceRoot(), file)}.`);
}

main().catch((error: unknown) => {
  process.stderr.write(`bench usage: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

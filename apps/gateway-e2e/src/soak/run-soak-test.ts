import { setTimeout as sleep } from 'node:timers/promises';
import { applyMigrations } from '@farebox/local-services';
import type { Attempt } from '../../test/chat-client';
import { startBreakableService, type BreakableService } from '../../test/breakable-service';
import { auditService, resolvedWithinMs } from '../audit/audit-service';
import type { Books, Finding } from '../audit/evidence';
import { FAULTS, planFaults, runRound } from '../crash/faults';
import { startLoad, type Load } from '../crash/load';
import { createRandom } from '../random';
import { findGrowth } from './growth';
import type { SoakOptions } from './options';
import { takeSample, type Sample } from './samples';

export interface SoakRun extends SoakOptions {
  redisUrl: string;
  say: (line: string) => void;
  /** Ends the run early, after the current fault. */
  interrupt: AbortSignal;
}

/** The events and findings of a run. */
export interface SoakReport {
  options: SoakOptions;
  /** The faults and migrations, in order. */
  events: readonly string[];
  samples: readonly Sample[];
  attempts: readonly Attempt[];
  books: Books;
  /** Everything that is wrong. */
  findings: readonly Finding[];
}

/** As in production. */
const LEASE_MS = 30_000;
const TOKENS_PER_SECOND = 60;
const OPENED_WITH_NANO = Array.from({ length: 4 }, () => 1_000_000_000_000n);
const PAUSE_MS = 1_000;
const SAMPLE_EVERY_MS = 30_000;
const SPARED = 1;
/** Every fifth event is a migration. */
const MIGRATES_EVERY = 5;

/** Runs the service for hours, and compares the clients' records with the books, and the first samples with the last. */
export async function runSoakTest(run: SoakRun): Promise<SoakReport> {
  const harness = await startBreakableService({
    ...{ gateways: 2, leaseMs: LEASE_MS, redisUrl: run.redisUrl, logFolder: run.logFolder },
    ...{ openedWithNano: OPENED_WITH_NANO, tokensPerSecond: TOKENS_PER_SECOND },
  });
  try {
    return await soak(run, harness);
  } finally {
    await harness.close();
  }
}

async function soak(run: SoakRun, harness: BreakableService): Promise<SoakReport> {
  const { seed, clients, say, redisUrl } = run;
  const boundMs = resolvedWithinMs(LEASE_MS);
  const load = startLoad(harness, { seed, clients, patienceMs: boundMs, pauseMs: PAUSE_MS });
  const sampling = startSampling(harness);
  const { events, findings } = await disturb(run, harness, load);
  const samples = await sampling.stop();
  say('The load has ended; waiting for open holds.');
  const unanswered = await load.stop();
  const { attempts } = load;
  const databaseDisturbances = harness.database.disturbances;
  const audited = await auditService(harness, redisUrl, {
    ...{ attempts, unanswered, databaseDisturbances, resolvedWithinMs: boundMs },
  });
  return {
    ...{ options: run, events, samples, attempts, books: audited.books },
    findings: [...findings, ...findGrowth(samples), ...audited.findings],
  };
}

/** One event after the other until the time is over. */
async function disturb(
  { seed, minutes, everySeconds, say, interrupt }: SoakRun,
  harness: BreakableService,
  load: Load,
): Promise<{ events: string[]; findings: Finding[] }> {
  const untilMs = Date.now() + minutes * 60_000;
  const random = createRandom(`${seed}/faults`);
  const faults = planFaults(random, Math.ceil((minutes * 60) / everySeconds));
  const context = { harness, random, leaseMs: LEASE_MS, spared: SPARED };
  const events: string[] = [];
  const findings: Finding[] = [];
  const isOver = (): boolean => interrupt.aborted || Date.now() > untilMs;
  while (!isOver()) {
    await sleep(everySeconds * 1_000, undefined, { signal: interrupt }).catch(() => undefined);
    if (isOver()) break;
    const fault = faults[events.length] ?? 'gateway_killed';
    let event = 'a migration beside the traffic';
    if (events.length % MIGRATES_EVERY === MIGRATES_EVERY - 1)
      await applyMigrations(harness.database.ownerUrl);
    else {
      event = FAULTS[fault];
      const { silentGateways } = await runRound(context, load, fault);
      for (const number of silentGateways)
        findings.push(`gateway ${String(number)} did not serve again after: ${event}`);
    }
    events.push(event);
    const minutesLeft = Math.max(0, Math.round((untilMs - Date.now()) / 60_000));
    say(`${event}; ${String(load.attempts.length)} requests so far, ${String(minutesLeft)} minutes left`);
  }
  return { events, findings };
}

function startSampling(harness: BreakableService) {
  const samples: Sample[] = [];
  const ended = new AbortController();
  const running = (async () => {
    while (!ended.signal.aborted) {
      const sample = await takeSample(harness, SPARED);
      if (sample) samples.push(sample);
      await sleep(SAMPLE_EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop(): Promise<readonly Sample[]> {
      ended.abort();
      await running;
      return samples;
    },
  };
}

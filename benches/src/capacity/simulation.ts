/** What one call of the ledger costs, by what is in it. Processor time in microseconds, measured as such. */
export interface ServiceTimes {
  /** Of PostgreSQL for a call, whatever is in it. */
  callUs: number;
  /** Of PostgreSQL for a hold or a charge. */
  itemUs: number;
  /** Of PostgreSQL for each account of a call. */
  accountUs: number;
  /** Of PostgreSQL's other processes for a pair, and whatever else no call waits for. */
  besideUs: number;
  /** Of the client, for a hold or a charge. */
  clientItemUs: number;
  /** Until what commits have written is on the disk. Those that wait together share one flush. */
  flushMs: number;
}

export interface Scenario extends ServiceTimes {
  /** Connections that bring calls, one at a time each: gateways, or lanes of gateways. */
  connections: number;
  /** Who hold, charge and begin again, all connections together. */
  callers: number;
  accounts: number;
  /** Of the machine that PostgreSQL runs on. */
  cores: number;
  /** Whether the clients are one process on the same cores, as in the bench, or run elsewhere. */
  clientsOnSameCores: boolean;
}

export interface Simulated {
  pairsPerSecond: number;
  /** Of PostgreSQL. */
  cpuUsPerPair: number;
  itemsPerCall: number;
  /** The part of the time in which each was busy, from 0 to 1; the cores on average. */
  coresBusy: number;
  diskBusy: number;
}

/** Items of a kind in one call, at most, as the gateway has it. */
const MAX_BATCH = 512;
/** After so many calls in vain an item waits for its account, as in the gateway. */
const MAX_CONTENDED_CALLS = 2;
/** Simulated: what is learned in the first part, in which all callers begin at once, is passed over. */
const WARM_UP_MS = 500;
const MEASURED_MS = 3_000;

interface Item {
  account: number;
  /** The second of a pair. */
  isCharge: boolean;
  /** Calls in which its account was locked by another one. */
  contendedCalls: number;
}

interface Connection {
  waiting: Item[];
  isCalling: boolean;
}

/**
 * Plays what happens in the ledger, event by event, and counts the pairs. All that waits at a connection goes out as one
 * call. A call locks its accounts; items whose account another call has locked come back undone, and after the second time
 * they wait for it. It takes its time on a core. Then it has committed, and who asked for a hold is told; who asked for a
 * charge is told when it is on the disk. Each of them asks for the next thing.
 */
export function simulate(scenario: Scenario): Simulated {
  const { connections: count, callers, accounts, cores, clientsOnSameCores, flushMs } = scenario;
  const clock = new Clock();
  const processors = new Servers(clock, cores);
  const client = new Servers(clock, 1);
  const disk = new Disk(clock, flushMs);
  const locked = new Set<number>();
  const connections: Connection[] = Array.from({ length: count }, () => ({ waiting: [], isCalling: false }));
  const random = randomFrom(1);
  const aHold = (): Item => ({
    account: Math.floor(random() * accounts),
    isCharge: false,
    contendedCalls: 0,
  });
  let [pairs, items, calls, cpuUs] = [0, 0, 0, 0];

  const begin = (connection: Connection): void => {
    if (connection.isCalling) return;
    const { taken, contended } = takeBatch(connection, locked);
    if (taken.length + contended.length === 0) return;
    connection.isCalling = true;
    const own = new Set(taken.map(({ account }) => account));
    for (const account of own) locked.add(account);
    const workUs = scenario.callUs + scenario.itemUs * taken.length + scenario.accountUs * own.size;
    processors.run(workUs / 1_000, () => {
      for (const account of own) locked.delete(account);
      const held = taken.filter(({ isCharge }) => !isCharge);
      const charged = taken.filter(({ isCharge }) => isCharge);
      const besideUs = scenario.besideUs * charged.length;
      processors.run(besideUs / 1_000, () => undefined);
      calls++;
      items += taken.length;
      cpuUs += workUs + besideUs;
      // Its client reads the answers, and what they ask for next goes out together.
      afterClient((scenario.clientItemUs * taken.length) / 1_000, () => {
        for (const { account } of held)
          connection.waiting.push({ account, isCharge: true, contendedCalls: 0 });
        connection.waiting.push(...contended);
        connection.isCalling = false;
        begin(connection);
      });
      if (charged.length > 0)
        disk.flush(() => {
          pairs += charged.length;
          connection.waiting.push(...charged.map(aHold));
          begin(connection);
        });
      // Whoever waited for one of these accounts.
      for (const one of connections) begin(one);
    });
  };
  const afterClient = (durationMs: number, then: () => void): void => {
    if (!clientsOnSameCores) clock.after(durationMs, then);
    else
      client.take(durationMs, (release) => {
        processors.run(durationMs, () => {
          release();
          then();
        });
      });
  };

  for (let caller = 0; caller < callers; caller++) connections[caller % count]?.waiting.push(aHold());
  for (const connection of connections) begin(connection);
  clock.runUntil(WARM_UP_MS);
  [pairs, items, calls, cpuUs] = [0, 0, 0, 0];
  const before = [processors.busyMs, disk.busyMs] as const;
  clock.runUntil(WARM_UP_MS + MEASURED_MS);
  return {
    pairsPerSecond: (pairs / MEASURED_MS) * 1_000,
    cpuUsPerPair: (2 * cpuUs) / items,
    itemsPerCall: items / calls,
    coresBusy: (processors.busyMs - before[0]) / (MEASURED_MS * cores),
    diskBusy: (disk.busyMs - before[1]) / MEASURED_MS,
  };
}

/**
 * What goes out now, up to the longest call; the rest goes on waiting. What is contended goes out as well, as nobody knows
 * that before, and has come back from it.
 */
function takeBatch(
  connection: Connection,
  locked: ReadonlySet<number>,
): { taken: Item[]; contended: Item[] } {
  const taken: Item[] = [];
  const contended: Item[] = [];
  const left: Item[] = [];
  const room = { holds: MAX_BATCH, charges: MAX_BATCH };
  for (const item of connection.waiting) {
    const kind = item.isCharge ? 'charges' : 'holds';
    const isLocked = locked.has(item.account);
    if (room[kind] === 0 || (isLocked && item.contendedCalls >= MAX_CONTENDED_CALLS)) left.push(item);
    else {
      room[kind]--;
      if (isLocked) contended.push({ ...item, contendedCalls: item.contendedCalls + 1 });
      else taken.push(item);
    }
  }
  connection.waiting = left;
  return { taken, contended };
}

/** The same numbers from 0 to 1 each time: Lehmer's generator, with Park and Miller's multiplier. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Simulated time: what is due is done in its order. */
class Clock {
  nowMs = 0;
  /** The latest first. */
  readonly #due: { atMs: number; work: () => void }[] = [];

  after(durationMs: number, work: () => void): void {
    const atMs = this.nowMs + durationMs;
    let index = this.#due.length;
    while (index > 0 && (this.#due[index - 1]?.atMs ?? 0) <= atMs) index--;
    this.#due.splice(index, 0, { atMs, work });
  }

  runUntil(endMs: number): void {
    for (let first = this.#due.at(-1); first && first.atMs <= endMs; first = this.#due.at(-1)) {
      this.#due.pop();
      this.nowMs = first.atMs;
      first.work();
    }
    this.nowMs = endMs;
  }
}

/** So many that do one piece of work each at a time; who comes first is served first. */
class Servers {
  busyMs = 0;
  readonly #clock: Clock;
  readonly #waiting: { durationMs: number; work: (release: () => void) => void }[] = [];
  #free: number;

  constructor(clock: Clock, count: number) {
    this.#clock = clock;
    this.#free = count;
  }

  run(durationMs: number, then: () => void): void {
    this.take(durationMs, (release) => {
      this.#clock.after(durationMs, () => {
        release();
        then();
      });
    });
  }

  /** Has it until `release` is called. */
  take(durationMs: number, work: (release: () => void) => void): void {
    this.#waiting.push({ durationMs, work });
    this.#serve();
  }

  #serve(): void {
    while (this.#free > 0) {
      const first = this.#waiting.shift();
      if (!first) return;
      this.#free--;
      this.busyMs += first.durationMs;
      first.work(() => {
        this.#free++;
        this.#serve();
      });
    }
  }
}

/** A disk that one flush at a time is asked of. Who comes during one waits for the next, and all of them share it. */
class Disk {
  busyMs = 0;
  readonly #clock: Clock;
  readonly #flushMs: number;
  #waiting: (() => void)[] = [];
  #isFlushing = false;

  constructor(clock: Clock, flushMs: number) {
    this.#clock = clock;
    this.#flushMs = flushMs;
  }

  flush(then: () => void): void {
    this.#waiting.push(then);
    if (!this.#isFlushing) this.#run();
  }

  #run(): void {
    const done = this.#waiting;
    this.#waiting = [];
    this.#isFlushing = done.length > 0;
    if (!this.#isFlushing) return;
    this.busyMs += this.#flushMs;
    this.#clock.after(this.#flushMs, () => {
      for (const then of done) then();
      this.#run();
    });
  }
}

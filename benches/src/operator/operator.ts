import { sumClosedSales } from '@farebox/ledger';
import { VERB_RIGHTS, runVerb, type VerbHost } from '@farebox/verbs';
import { parseArgs } from 'node:util';
import pg, { type Pool } from 'pg';
import { describeMachine, median, positiveOption, say, today, toMarkdownTable, writeSection } from '../bench';
import { generateHistory, startLedgerHarness } from '../database';
import { explaining, NOTHING_EXPLAINED } from './explain';
import { addOperatorHistory } from './history';
import { questionsOf, type Question } from './questions';

const COMMAND = 'npm run bench -- operator';
const PAGE = 'docs/benchmarks/operator.md';
const HELP = `${COMMAND}                          what an operator asks, beside a million requests
${COMMAND} --requests 10000000      beside ten million; takes half an hour, and 10 GB

  --requests <n>   charged requests, made before            (1000000)
  --days <n>       over which they are spread               (30)
  --accounts <n>   that made them                           (1000)
  --repeats <n>    how often each question is asked         (5)
  --database <url> ask a database that was filled before, by its owner; the counts above describe it
  --no-write       do not write ${PAGE}

It runs on a PostgreSQL of its own. Each question is a verb, called as the operator service calls it.`;

interface Options extends Record<'requests' | 'days' | 'accounts' | 'repeats', number> {
  database?: string;
  write: boolean;
}

/** Throws with one sentence if the arguments are invalid. */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: 'string', default: '1000000' },
      days: { type: 'string', default: '30' },
      accounts: { type: 'string', default: '1000' },
      repeats: { type: 'string', default: '5' },
      database: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    requests: positiveOption('requests', values.requests),
    days: positiveOption('days', values.days),
    accounts: positiveOption('accounts', values.accounts),
    repeats: positiveOption('repeats', values.repeats),
    ...(values.database !== undefined && { database: values.database }),
    write: !values['no-write'],
  };
}

export async function runOperatorBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  const filled = options.database === undefined ? await fill(options) : openFilled(options.database);
  const { pool } = filled;
  try {
    await sumAsWorker(pool);
    const table = await askAll(pool, options.repeats);
    const { requests, days, accounts, repeats, write } = options;
    const shown = args.filter((arg, i) => arg !== '--database' && args[i - 1] !== '--database');
    const written = [
      `\`${[COMMAND, ...shown].join(' ')}\` on ${today()}, ${describeMachine()}, Node ${process.versions.node}:`,
      `${String(requests)} charged requests of ${String(accounts)} accounts over ${String(days)} days, and what was refused, ` +
        'failed or left beside them. First, median and longest are ms of ' +
        `${String(repeats)} calls; EXPLAIN is PostgreSQL's own time for the statements of one more, in ms, processor ` +
        'what of it a processor worked, and pages are those of 8 kB that it looked at.',
      '',
      table,
    ].join('\n');
    say(written);
    if (write) say(writeSection(PAGE, COMMAND, written));
  } finally {
    await filled.remove();
  }
}

interface Filled {
  pool: Pool;
  remove(): Promise<void>;
}

async function fill({ requests, days, accounts }: Options): Promise<Filled> {
  const harness = await startLedgerHarness({ fsync: false });
  try {
    const { pool } = await harness.createLedger(accounts);
    const onProgress = (done: number): void => {
      if (done % 1_000_000 === 0) say(`${String(done / 1_000_000)} million requests made`);
    };
    await generateHistory(pool, { requests, days, onProgress });
    await addOperatorHistory(pool);
    return { pool, remove: () => harness.remove() };
  } catch (error) {
    await harness.remove();
    throw error;
  }
}

function openFilled(connectionString: string): Filled {
  const pool = new pg.Pool({ connectionString });
  return { pool, remove: () => pool.end() };
}

async function askAll(pool: Pool, repeats: number): Promise<string> {
  const lines: string[][] = [];
  const client = await pool.connect();
  const explained = { ...NOTHING_EXPLAINED };
  const explainingPool = await explaining(pool, client, explained);
  try {
    for (const question of await questionsOf(pool)) {
      const { times, found } = await ask(pool, question, repeats);
      // The first call reads the catalogue of a new connection.
      await ask(explainingPool, question, 1);
      Object.assign(explained, NOTHING_EXPLAINED);
      await ask(explainingPool, question, 1);
      const ms = [times[0] ?? 0, median(times), Math.max(...times), explained.ms, explained.processorMs];
      const cells = [found, ...ms.map((one) => one.toFixed(0)), explained.pages].map(String);
      lines.push([question.question, `\`${toWords(question)}\``, ...cells]);
    }
  } finally {
    client.release();
  }
  return toMarkdownTable(
    ['question', 'verb', 'lines', 'first', 'median', 'longest', 'EXPLAIN', 'processor', 'pages'],
    lines,
  );
}

/** As the worker does, a few minutes after each hour. The history has no transactions to wait for. */
async function sumAsWorker(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE usage_sum_state SET summed_before = ended_before, closing_before = ended_before
     FROM (SELECT date_trunc('hour', created_at - interval '5 minutes', 'UTC') AS ended_before
           FROM usage_record ORDER BY id DESC LIMIT 1) newest`,
  );
  const startMs = performance.now();
  const hours = await sumClosedSales(pool);
  if (hours > 0)
    say(
      `${String(hours)} hours of sales summed, in ${((performance.now() - startMs) / hours).toFixed(0)} ms each`,
    );
  await pool.query('VACUUM ANALYZE sales_by_route, sales_by_key');
}

async function ask(
  pool: Pool,
  { words, given }: Question,
  repeats: number,
): Promise<{ times: number[]; found: number }> {
  if (!VERB_RIGHTS[words]) throw new Error(`the operator service has no verb "${words}"`);
  const times: number[] = [];
  let found = 0;
  for (let i = 0; i < repeats; i++) {
    const startMs = performance.now();
    const { json } = await runVerb({ words, given }, hostOf(pool));
    times.push(performance.now() - startMs);
    const { data } = json as { data?: unknown[] };
    found = data?.length ?? 1;
  }
  return { times, found };
}

const hostOf = (pool: Pool): Omit<VerbHost, 'deliver'> => ({
  environment: {},
  hasUpstreamSecrets: false,
  acting: () => ({ operator: 'bench', action: 'bench', via: 'key', network: null }),
  onDatabase: (_access, work) => work(pool),
  warn: () => undefined,
  progress: () => undefined,
  confirm: () => Promise.reject(new Error('a question asks nothing')),
  openFile: () => Promise.reject(new Error('a question has no file')),
});

const toWords = ({ words, given }: Question): string =>
  [words, ...Object.entries(given).map(([name, value]) => `${name}=${shorten(value)}`)].join(' ');

/** Ids say nothing to a reader. */
const shorten = (value: string): string => value.replace(/^(acct|key|req)_\w+$/, '$1_…');

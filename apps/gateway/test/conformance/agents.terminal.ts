import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { forgetProcess, guardProcess } from '@farebox/local-services';
import {
  PATIENT_UPSTREAM,
  startGatewayHarness,
  UPSTREAM_SECRET_VARIABLE,
  type GatewayHarness,
} from '../gateway-harness';
import { AGENTS, type Agent } from './command-line-agents';

// Installed command-line agents do a task with a tool call: `npm run agents`, not part of `npm test`.

/** Folder of the installed agents and of their logs. */
const FOLDER = path.resolve(__dirname, '../../../../.farebox/agents');
const BIN = path.join(FOLDER, 'node_modules/.bin');
const NAMES = AGENTS.map(({ name }) => name);
const ONLY = process.env['FAREBOX_TEST_AGENTS']?.split(',') ?? NAMES;
if (!ONLY.every((name) => NAMES.includes(name)))
  throw new Error(`Unknown agents among ${ONLY.join(', ')}. Known agents: ${NAMES.join(', ')}.`);
const CHOSEN = AGENTS.filter(({ name }) => ONLY.includes(name));
const TASK_TIMEOUT_MS = 240_000;
const TEST_TIMEOUT_MS = TASK_TIMEOUT_MS + 30_000;
const MADE = 'made by an agent';
const BALANCE = { balanceNano: 100_000_000_000n };

const WIRES = ['chat', 'messages', 'responses'] as const;
type Wire = (typeof WIRES)[number];
/** By the service's count, no agent's prompt fits into its context. */
const FULL = 'full';
/**
 * A model whose server has a shorter context than the catalogue says, so the server must refuse a long
 * prompt.
 */
const shortOf = (wire: Wire): string => `short-${wire}`;
const SHORT_CONTEXT_TOKENS = 60_000;

const askFor = (command: string): string => `Run this command: \`${command}\``;
const TASK = askFor(`printf '${MADE}' > made.txt && cat made.txt`);
/** About 6,000 tokens for each of the first twelve calls. */
const MUCH_OUTPUT = 'for _ in 1 2 3; do echo Run it again.; seq -s, 1 900; done';
const LONG_TASK = askFor(
  `echo >> runs; if [ $(wc -l < runs) -le 12 ]; then ${MUCH_OUTPUT}; else printf '${MADE}' | tee made.txt; fi`,
);

function catalogOf(url: string): string {
  const upstream = (wire: Wire): string =>
    `  - { id: ${wire}, wire: ${wire}, base_url: "${url}", api_key_env: ${UPSTREAM_SECRET_VARIABLE}, ${PATIENT_UPSTREAM} }`;
  const model = (id: string, wire: Wire, served = 'sim-agent', limits = [200_000, 8_192]): string => `
  - id: ${id}
    routes: [{ upstream: ${wire}, model: ${served} }]
    input_price: 1
    output_price: 2
    context_window: ${String(limits[0])}
    max_output_tokens: ${String(limits[1])}
    tokenizer: o200k_base`;
  const short = `sim-agent-${String(SHORT_CONTEXT_TOKENS)}`;
  return `
upstreams:
${WIRES.map(upstream).join('\n')}
models:
${WIRES.map((wire) => model(wire, wire)).join('')}
${WIRES.map((wire) => model(shortOf(wire), wire, short)).join('')}
${model(FULL, 'chat', 'sim-agent', [16, 16])}`;
}

let harness: GatewayHarness;
let folder: string;
beforeAll(async () => {
  await mkdir(path.join(FOLDER, 'said'), { recursive: true });
  harness = await startGatewayHarness({}, { catalog: catalogOf });
});
afterAll(() => harness.close());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'farebox-agent-'));
  await mkdir(path.join(folder, 'home'));
  await mkdir(path.join(folder, 'work'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Asked {
  secret: string;
  model: string;
  prompt?: string;
  /** The run may end once the output matches this. */
  until?: RegExp | undefined;
}

interface Ended {
  code: number | null;
  output: string;
  /** The file that the command wrote. */
  made: string | undefined;
}

/** Runs an agent in its own home and folder, until it ends or its output matches. */
async function run(agent: Agent, { secret, model, prompt = TASK, until }: Asked): Promise<Ended> {
  const home = path.join(folder, 'home');
  const of = { url: harness.url, secret, model, prompt };
  for (const [file, text] of Object.entries(agent.files(of))) {
    await mkdir(path.dirname(path.join(home, file)), { recursive: true });
    await writeFile(path.join(home, file), text);
  }
  const child = spawn(path.join(BIN, agent.program ?? agent.name), agent.args(of), {
    cwd: path.join(folder, 'work'),
    env: {
      PATH: [BIN, process.env['PATH']].join(path.delimiter),
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, '.config'),
      CODEX_HOME: path.join(home, '.codex'),
      NO_COLOR: '1',
      ...agent.environment(of),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // Also ends its child processes: some agents are launchers.
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  const tooLong = setTimeout(kill, TASK_TIMEOUT_MS);
  const group = -(child.pid ?? 0);
  if (group !== 0) guardProcess(group, 'SIGKILL');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (until?.test(output)) kill();
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  clearTimeout(tooLong);
  forgetProcess(group);
  const made = await readFile(path.join(folder, 'work/made.txt'), 'utf8').catch(() => undefined);
  return { code, output, made };
}

/** The same, with a printed report for the person waiting and for the documentation. */
async function runTelling(agent: Agent, what: string, asked: Asked): Promise<Ended & { result: string }> {
  const startedAtMs = performance.now();
  say(`${agent.name}: ${what}`);
  const before = harness.logText().length;
  const ended = await run(agent, asked);
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  const how = ended.code === null ? 'ended by us' : `ended with ${String(ended.code)}`;
  const result = resultsIn(harness.logText().slice(before));
  say(`${agent.name}: ${how} after ${String(seconds)} s, got ${result}`);
  const file = `${agent.name} ${what}.txt`.replaceAll(' ', '-');
  await writeFile(path.join(FOLDER, 'said', file), ended.output);
  return { ...ended, result };
}

/** Jest shows the output of a file only at its end. */
function say(line: string): void {
  process.stderr.write(`[${String(Math.floor(process.uptime())).padStart(4)} s] ${line}\n`);
}

/** The results of its requests, in order. */
function resultsIn(log: string): string {
  const entries = log
    .split('\n')
    .filter((line) => line.includes('"event":"request_'))
    .map((line) => JSON.parse(line) as { status: number; code?: string })
    .map(({ status, code }) => `${String(status)}${code === undefined ? '' : ` ${code}`}`);
  const changes = entries.flatMap((entry, at) => (entry === entries[at - 1] ? [] : [at]));
  return changes
    .map((at, n) => `${String((changes[n + 1] ?? entries.length) - at)} × ${entries[at] ?? ''}`)
    .join(', ');
}

describe.each(WIRES)('with a server of %s', (wire) => {
  it.each(CHOSEN)(
    '$name does a task with a tool, by $path, and is charged for it',
    async (agent) => {
      const { secret, accountId } = await harness.givenKey(BALANCE);
      const find = agent.finds ? `Find this tool: \`${agent.finds.tool}\`. ` : '';
      const asked = { secret, model: wire, prompt: `${find}${TASK}` };
      expect(await runTelling(agent, `a task by ${wire}`, asked)).toMatchObject({
        code: 0,
        made: MADE,
        output: expect.stringContaining(MADE) as string,
      });
      await harness.expectSettled();
      const sql = 'SELECT outcome, completion_tokens FROM usage_record WHERE account_id = $1';
      const { rows } = await harness.db.pool.query<{ outcome: string }>(sql, [accountId]);
      expect(rows.length).toBeGreaterThanOrEqual(2);
      expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['completed']));
      expect(harness.logText()).toContain(`"route":"${agent.path}"`);
      const last = harness.upstream.requests().at(-1);
      expect(JSON.stringify(last?.body)).toContain(agent.finds?.says ?? MADE);
    },
    TEST_TIMEOUT_MS,
  );

  it.each(CHOSEN)(
    "$name recognises from the server's error that its conversation is too long",
    async (agent) => {
      const { secret } = await harness.givenKey(BALANCE);
      const asked = { secret, model: shortOf(wire), prompt: LONG_TASK };
      const { code, output, result } = await runTelling(agent, `a long task by ${wire}`, asked);
      expect(result).toContain('invalid_request_error');
      if (agent.saysLong) expect(output).toMatch(agent.saysLong);
      else expect({ code, output }).toEqual({ code: 0, output });
    },
    TEST_TIMEOUT_MS,
  );
});

it.each(CHOSEN)(
  '$name ends, with an explanation if it has one, when its first prompt is too long',
  async (agent) => {
    const { secret } = await harness.givenKey(BALANCE);
    const asked = { secret, model: FULL, until: agent.saysFull };
    expectSaid(await runTelling(agent, 'a context that is full', asked), agent.saysFull);
  },
  TEST_TIMEOUT_MS,
);

it.each(CHOSEN)(
  '$name reports the exhausted monthly limit, and does not wait for it',
  async (agent) => {
    const { secret } = await harness.givenKey(BALANCE, { monthlySpendLimitNano: 100_000n });
    const asked = { secret, model: 'chat', until: agent.saysSpent };
    expectSaid(await runTelling(agent, 'a limit that is spent', asked), agent.saysSpent);
  },
  TEST_TIMEOUT_MS,
);

/** An agent without a message must at least end by itself. */
function expectSaid({ code, output }: Ended, words: RegExp | undefined): void {
  if (words) expect(output).toMatch(words);
  else expect(code).not.toBeNull();
}

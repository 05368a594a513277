import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  PATIENT_UPSTREAM,
  startGatewayHarness,
  UPSTREAM_SECRET_VARIABLE,
  type GatewayHarness,
} from '../gateway-harness';

// Command-line agents do a task with a tool call, each as it is installed: `npm run agents`, not a part of `npm test`.

/** Where the command has installed them. */
const BIN = path.resolve(__dirname, '../../../../.farebox/agents/node_modules/.bin');
const MODEL = 'agent';
/** No agent's prompt fits into its context. */
const FULL = 'full';
const TASK_TIMEOUT_MS = 120_000;
const MADE = 'made by an agent';
const COMMAND = `printf '${MADE}' > made.txt && cat made.txt`;
const PROMPT = `Run this command: \`${COMMAND}\``;

function catalogOf(url: string): string {
  const upstream = `{ id: sim, base_url: "${url}", api_key_env: ${UPSTREAM_SECRET_VARIABLE}, ${PATIENT_UPSTREAM} }`;
  return `
upstreams:
  - ${upstream}
models:
  - id: ${MODEL}
    routes: [{ upstream: sim, model: sim-agent }]
    input_price: 1
    output_price: 2
    context_window: 200000
    max_output_tokens: 8192
    tokenizer: o200k_base
  - id: ${FULL}
    routes: [{ upstream: sim, model: sim-agent }]
    input_price: 1
    output_price: 2
    context_window: 16
    max_output_tokens: 16
    tokenizer: o200k_base`;
}

let harness: GatewayHarness;
let folder: string;
beforeAll(async () => {
  harness = await startGatewayHarness({}, { catalog: catalogOf });
});
afterAll(() => harness.close());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'farebox-agent-'));
  await mkdir(path.join(folder, 'home'));
  await mkdir(path.join(folder, 'work'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Agent {
  name: string;
  path: string;
  /** Its program, unless that is called as it is. */
  program?: string;
  /** Files of its home that configure it. */
  files: (of: Given) => Record<string, string>;
  args: (of: Given) => string[];
  environment: (of: Given) => Record<string, string>;
  /** Words that it shows if a conversation is too long. Not set: none. */
  saysFull?: RegExp;
  /** Words that it shows if a limit is spent. */
  saysSpent: RegExp;
}

interface Given {
  url: string;
  secret: string;
  model: string;
}

const SPENT = /monthly spending limit/;

const CODEX_ARGS = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', PROMPT];

const AGENTS: readonly Agent[] = [
  {
    name: 'claude',
    path: '/v1/messages',
    files: () => ({}),
    args: ({ model }) => [
      ...['-p', PROMPT, '--model', model],
      ...['--allowedTools', 'Bash', '--output-format', 'text'],
    ],
    environment: ({ url, secret, model }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: secret,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    saysFull: /prompt is too long/i,
    saysSpent: SPENT,
  },
  {
    name: 'codex',
    path: '/v1/responses',
    files: ({ url, model }) => ({
      '.codex/config.toml': `
model = "${model}"
model_provider = "farebox"
[model_providers.farebox]
name = "farebox"
base_url = "${url}/v1"
env_key = "FAREBOX_API_KEY"
wire_api = "responses"
`,
    }),
    args: () => CODEX_ARGS,
    environment: ({ secret }) => ({ FAREBOX_API_KEY: secret }),
    saysFull: /ran out of room in the model's context window/,
    saysSpent: /429 Too Many Requests/,
  },
  {
    name: 'codex-builtin',
    program: 'codex',
    path: '/v1/responses',
    files: ({ url, model, secret }) => ({
      '.codex/config.toml': `model = "${model}"\nopenai_base_url = "${url}/v1"\n`,
      '.codex/auth.json': JSON.stringify({ OPENAI_API_KEY: secret }),
    }),
    args: () => CODEX_ARGS,
    environment: () => ({}),
    saysFull: /ran out of room in the model's context window/,
    saysSpent: /429 Too Many Requests/,
  },
  {
    name: 'opencode',
    path: '/v1/chat/completions',
    files: ({ url, model }) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        model: `farebox/${model}`,
        small_model: `farebox/${model}`,
        autoupdate: false,
        share: 'disabled',
        permission: { bash: 'allow' },
        provider: {
          farebox: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: '{env:FAREBOX_API_KEY}' },
            models: { [model]: { name: model, limit: { context: 200_000, output: 8_192 } } },
          },
        },
      }),
    }),
    args: ({ model }) => ['run', '--model', `farebox/${model}`, PROMPT],
    environment: ({ secret }) => ({ FAREBOX_API_KEY: secret, OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    saysFull: /maximum context length/,
    saysSpent: SPENT,
  },
  {
    name: 'qwen',
    path: '/v1/chat/completions',
    files: () => ({}),
    args: () => ['--auth-type', 'openai', '--yolo', '-p', PROMPT],
    environment: ({ url, secret, model }) => ({
      OPENAI_API_KEY: secret,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: model,
    }),
    saysFull: /maximum context length/,
    saysSpent: SPENT,
  },
  {
    name: 'pi',
    path: '/v1/chat/completions',
    files: ({ url, secret, model }) => ({
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          farebox: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: secret,
            models: [
              {
                ...{ id: model, name: model, reasoning: false, input: ['text'] },
                ...{ contextWindow: 128_000, maxTokens: 8_192 },
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              },
            ],
          },
        },
      }),
    }),
    args: ({ model }) => ['-p', '--provider', 'farebox', '--model', model, PROMPT],
    environment: () => ({}),
    saysSpent: SPENT,
  },
];

/** Runs an agent in a home and a folder of its own, to its end or until it has said this. */
async function run(
  agent: Agent,
  { secret, model = MODEL, until }: { secret: string; model?: string; until?: RegExp | undefined },
): Promise<{ code: number | null; output: string }> {
  const home = path.join(folder, 'home');
  const of = { url: harness.url, secret, model };
  for (const [file, text] of Object.entries(agent.files(of))) {
    await mkdir(path.dirname(path.join(home, file)), { recursive: true });
    await writeFile(path.join(home, file), text);
  }
  const child = spawn(path.join(BIN, agent.program ?? agent.name), agent.args(of), {
    cwd: path.join(folder, 'work'),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, '.config'),
      CODEX_HOME: path.join(home, '.codex'),
      NO_COLOR: '1',
      ...agent.environment(of),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // With the processes that it has begun: some agents are a program that starts another one.
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  const tooLong = setTimeout(kill, TASK_TIMEOUT_MS);
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
  return { code, output };
}

it.each(AGENTS)(
  '$name does a task with a tool, by $path, and is charged for it',
  async (agent) => {
    const { secret, accountId } = await harness.givenKey({ balanceNano: 100_000_000_000n });
    const { code, output } = await run(agent, { secret });
    const made = await readFile(path.join(folder, 'work/made.txt'), 'utf8').catch(() => undefined);
    expect({ code, made, output }).toEqual({
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
  },
  TASK_TIMEOUT_MS + 30_000,
);

it.each(AGENTS.filter(({ saysFull }) => saysFull))(
  '$name knows that its conversation is too long',
  async (agent) => {
    const { secret } = await harness.givenKey({ balanceNano: 100_000_000_000n });
    const { output } = await run(agent, { secret, model: FULL, until: agent.saysFull });
    expect(output).toMatch(agent.saysFull ?? /never/);
  },
  TASK_TIMEOUT_MS + 30_000,
);

it.each(AGENTS)(
  '$name says that the monthly limit is spent, and does not sleep for it',
  async (agent) => {
    const given = { balanceNano: 100_000_000_000n };
    const { secret } = await harness.givenKey(given, { monthlySpendLimitNano: 100_000n });
    const { output } = await run(agent, { secret, until: agent.saysSpent });
    expect(output).toMatch(agent.saysSpent);
  },
  TASK_TIMEOUT_MS + 30_000,
);

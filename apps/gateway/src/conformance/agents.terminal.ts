import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  PATIENT_UPSTREAM,
  startGatewayHarness,
  UPSTREAM_SECRET_VARIABLE,
  type GatewayHarness,
} from '../../test/gateway-harness';

// Command-line agents do a task with a tool call, each as it is installed: `npm run agents`, not a part of `npm test`.

/** Where the command has installed them. */
const BIN = path.resolve(__dirname, '../../../../.farebox/agents/node_modules/.bin');
const MODEL = 'agent';
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
  /** Files of its home that configure it. */
  files: (url: string) => Record<string, string>;
  args: string[];
  environment: (url: string, secret: string) => Record<string, string>;
}

const AGENTS: readonly Agent[] = [
  {
    name: 'claude',
    path: '/v1/messages',
    files: () => ({}),
    args: ['-p', PROMPT, '--model', MODEL, '--allowedTools', 'Bash', '--output-format', 'text'],
    environment: (url, secret) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: secret,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: MODEL,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    name: 'codex',
    path: '/v1/responses',
    files: (url) => ({
      '.codex/config.toml': `
model = "${MODEL}"
model_provider = "farebox"
[model_providers.farebox]
name = "farebox"
base_url = "${url}/v1"
env_key = "FAREBOX_API_KEY"
wire_api = "responses"
`,
    }),
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', PROMPT],
    environment: (_url, secret) => ({ FAREBOX_API_KEY: secret }),
  },
  {
    name: 'opencode',
    path: '/v1/chat/completions',
    files: (url) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        model: `farebox/${MODEL}`,
        small_model: `farebox/${MODEL}`,
        autoupdate: false,
        share: 'disabled',
        permission: { bash: 'allow' },
        provider: {
          farebox: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: '{env:FAREBOX_API_KEY}' },
            models: { [MODEL]: { name: MODEL, limit: { context: 200_000, output: 8_192 } } },
          },
        },
      }),
    }),
    args: ['run', '--model', `farebox/${MODEL}`, PROMPT],
    environment: (_url, secret) => ({ FAREBOX_API_KEY: secret, OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  },
];

/** Runs an agent to its end, in a home and a folder of its own. */
async function run(agent: Agent, secret: string): Promise<{ code: number | null; output: string }> {
  const home = path.join(folder, 'home');
  for (const [file, text] of Object.entries(agent.files(harness.url))) {
    await mkdir(path.dirname(path.join(home, file)), { recursive: true });
    await writeFile(path.join(home, file), text);
  }
  const child = spawn(path.join(BIN, agent.name), agent.args, {
    cwd: path.join(folder, 'work'),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, '.config'),
      CODEX_HOME: path.join(home, '.codex'),
      NO_COLOR: '1',
      ...agent.environment(harness.url, secret),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TASK_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { code, output };
}

it.each(AGENTS)(
  '$name does a task with a tool, by $path, and is charged for it',
  async (agent) => {
    const { secret, accountId } = await harness.givenKey({ balanceNano: 100_000_000_000n });
    const { code, output } = await run(agent, secret);
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

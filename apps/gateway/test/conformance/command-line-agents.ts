/** The address of the service for an agent, and its task. */
export interface Given {
  url: string;
  secret: string;
  model: string;
  prompt: string;
}

export interface Agent {
  name: string;
  /** The path that the agent uses. */
  path: string;
  /** The agent's program, unless it is called by its own name. */
  program?: string;
  /** Configuration files in its home. */
  files: (of: Given) => Record<string, string>;
  args: (of: Given) => string[];
  environment: (of: Given) => Record<string, string>;
  /** A tool that it has only after a search, and the tool's result. */
  finds?: { tool: string; says: string };
  /** Its message when a conversation is too long. Not set: it shows none and goes on. */
  saysLong?: RegExp;
  /** Its message if the first prompt is already too long. Not set: none. */
  saysFull?: RegExp;
  /** Its message if a limit is exhausted. Not set: none. */
  saysSpent?: RegExp;
}

const SPENT = /monthly spending limit/;

const CLAUDE = {
  program: 'claude',
  path: '/v1/messages',
  files: () => ({}),
  args: ({ model, prompt }) => [
    ...['-p', prompt, '--model', model],
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
} satisfies Omit<Agent, 'name'>;

const CODEX = {
  program: 'codex',
  path: '/v1/responses',
  args: ({ prompt }) => [
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    prompt,
  ],
  saysLong: /ran out of room in the model's context window/,
  saysFull: /ran out of room in the model's context window/,
  saysSpent: /429 Too Many Requests/,
} satisfies Partial<Agent>;

/** Copilot with a provider of the user, which needs no account. */
const COPILOT = {
  program: 'copilot',
  files: () => ({}),
  args: ({ prompt }) => ['-p', prompt, '--allow-all', '--no-auto-update'],
  saysLong: /exceeded the model's context limit. Compacting history/,
  saysFull: /exceeded the model's context limit/,
  saysSpent: SPENT,
} satisfies Partial<Agent>;

const toCopilotEnvironment = (
  { secret, model }: Given,
  provider: Record<string, string>,
): Record<string, string> => ({
  COPILOT_OFFLINE: 'true',
  COPILOT_MODEL: model,
  COPILOT_PROVIDER_API_KEY: secret,
  ...provider,
});

export const AGENTS: readonly Agent[] = [
  { ...CLAUDE, name: 'claude' },
  {
    ...CLAUDE,
    name: 'claude-tool-search',
    environment: (of) => ({ ...CLAUDE.environment(of), ENABLE_TOOL_SEARCH: 'true' }),
    finds: { tool: 'CronList', says: 'No scheduled jobs' },
  },
  {
    ...CODEX,
    name: 'codex',
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
    environment: ({ secret }) => ({ FAREBOX_API_KEY: secret }),
  },
  {
    ...CODEX,
    name: 'codex-builtin',
    files: ({ url, model, secret }) => ({
      '.codex/config.toml': `model = "${model}"\nopenai_base_url = "${url}/v1"\n`,
      '.codex/auth.json': JSON.stringify({ OPENAI_API_KEY: secret }),
    }),
    environment: () => ({}),
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
    args: ({ model, prompt }) => ['run', '--model', `farebox/${model}`, prompt],
    environment: ({ secret }) => ({ FAREBOX_API_KEY: secret, OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    saysLong: /The conversation was compacted/,
    saysFull: /maximum context length/,
    saysSpent: SPENT,
  },
  {
    name: 'qwen',
    path: '/v1/chat/completions',
    files: () => ({}),
    args: ({ prompt }) => ['--auth-type', 'openai', '--yolo', '-p', prompt],
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
    args: ({ model, prompt }) => ['-p', '--provider', 'farebox', '--model', model, prompt],
    environment: () => ({}),
    saysSpent: SPENT,
  },
  {
    ...COPILOT,
    name: 'copilot',
    path: '/v1/chat/completions',
    environment: (of) => toCopilotEnvironment(of, { COPILOT_PROVIDER_BASE_URL: `${of.url}/v1` }),
  },
  {
    ...COPILOT,
    name: 'copilot-responses',
    path: '/v1/responses',
    environment: (of) =>
      toCopilotEnvironment(of, {
        COPILOT_PROVIDER_BASE_URL: `${of.url}/v1`,
        COPILOT_PROVIDER_WIRE_API: 'responses',
      }),
  },
  {
    ...COPILOT,
    name: 'copilot-messages',
    path: '/v1/messages',
    environment: (of) =>
      toCopilotEnvironment(of, { COPILOT_PROVIDER_BASE_URL: of.url, COPILOT_PROVIDER_TYPE: 'anthropic' }),
  },
];

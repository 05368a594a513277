import { spawnSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { completionSamples, type SampleRequest } from './samples';

const REQUEST: SampleRequest = {
  baseUrl: 'https://inference.example',
  model: 'acme/one',
  messages: [
    { role: 'system', content: 'Don\'t say "no".\n$HOME `id`' },
    { role: 'user', content: 'Grüße' },
  ],
  parameters: { max_tokens: 64, temperature: 0.2 },
};

const sampleOf = (name: string, request = REQUEST): string =>
  completionSamples(request).find((sample) => sample.name === name)?.code ?? '';

/** The words that a shell reads in a command. */
function wordsOf(command: string, env: NodeJS.ProcessEnv = {}): string[] {
  const script = command.replace(/^curl /, `printf '%s\\0' `);
  return spawnSync('sh', ['-c', script], { encoding: 'utf8', env }).stdout.split('\0');
}

it('writes a curl command that a shell reads correctly, whatever a message contains', () => {
  const words = wordsOf(sampleOf('curl'), { FAREBOX_API_KEY: 'ak-1' });
  expect(words[0]).toBe('https://inference.example/v1/chat/completions');
  expect(words).toContain('Authorization: Bearer ak-1');
  expect(JSON.parse(words[words.indexOf('-d') + 1] ?? '')).toEqual({
    model: REQUEST.model,
    messages: REQUEST.messages,
    max_tokens: 64,
    temperature: 0.2,
  });
});

it('puts a new key into each sample', () => {
  for (const { code } of completionSamples({ ...REQUEST, apiKey: 'ak-secret' })) {
    expect(code).toContain('ak-secret');
    expect(code).not.toContain('FAREBOX_API_KEY');
  }
});

it('writes valid JavaScript for Node with the intended request', async () => {
  const asked: unknown[] = [];
  const body = sampleOf('Node')
    .replace(/^import .*$/m, '')
    .replace(/^console\.log.*$/m, '');
  const OpenAI = class {
    readonly chat = { completions: { create: (wish: unknown) => asked.push(wish) } };
  };
  await runInNewContext(`(async () => {${body}})()`, { OpenAI, process: { env: {} } });
  expect(JSON.parse(JSON.stringify(asked))).toEqual([
    { model: REQUEST.model, messages: REQUEST.messages, max_tokens: 64, temperature: 0.2 },
  ]);
});

it('names the base URL with /v1 for the SDKs', () => {
  expect(sampleOf('Node')).toContain("baseURL: 'https://inference.example/v1'");
  expect(sampleOf('Python')).toContain('base_url="https://inference.example/v1"');
});

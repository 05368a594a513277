import { t } from '@farebox/ui/language';

/** The same call in several languages, to paste and run. */

export interface Sample {
  /** `curl`, `Node`, `Python`. */
  name: string;
  code: string;
}

interface SampleMessage {
  role: string;
  /** A text, or its parts in the form of the API. */
  content: string | readonly object[];
}

export interface SampleRequest {
  /** Origin of the service, without `/v1`. */
  baseUrl: string;
  /** A new key; without it, the samples read the variable FAREBOX_API_KEY. */
  apiKey?: string | undefined;
  model: string;
  messages?: readonly SampleMessage[];
  parameters?: Readonly<Record<string, number>>;
}

export function completionSamples({
  baseUrl,
  apiKey,
  model,
  messages = [{ role: 'user', content: t('Say hello.') }],
  parameters = {},
}: SampleRequest): Sample[] {
  const url = `${baseUrl}/v1`;
  const given = Object.entries(parameters);
  const body = [
    `"model": ${JSON.stringify(model)}`,
    `"messages": ${toList(messages, '  ', (text) => JSON.stringify(text))}`,
    ...given.map(([name, value]) => `"${name}": ${value.toString()}`),
  ];
  return [
    {
      name: 'curl',
      code: `curl ${url}/chat/completions \\
  -H "Authorization: Bearer ${apiKey ?? '$FAREBOX_API_KEY'}" \\
  -H "Content-Type: application/json" \\
  -d '${quoteForShell(`{\n  ${body.join(',\n  ')}\n}`)}'`,
    },
    {
      name: 'Node',
      code: `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${url}',
  apiKey: ${apiKey ? `'${apiKey}'` : 'process.env.FAREBOX_API_KEY'},
});
const completion = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: ${toList(messages, '  ', (text) => JSON.stringify(text), false)},${given.map(([name, value]) => `\n  ${name}: ${value.toString()},`).join('')}
});
console.log(completion.choices[0].message.content);`,
    },
    {
      name: 'Python',
      code: `# pip install openai
${apiKey ? '' : 'import os\n'}from openai import OpenAI

client = OpenAI(
    base_url="${url}",
    api_key=${apiKey ? `"${apiKey}"` : 'os.environ["FAREBOX_API_KEY"]'},
)
completion = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=${toList(messages, '    ', (text) => JSON.stringify(text))},${given.map(([name, value]) => `\n    ${name}=${value.toString()},`).join('')}
)
print(completion.choices[0].message.content)`,
    },
  ];
}

/** One message stays on a line; several get one each. */
function toList(
  messages: readonly SampleMessage[],
  indent: string,
  quote: (value: SampleMessage['content']) => string,
  isJson = true,
): string {
  const name = (field: string) => (isJson ? `"${field}"` : field);
  const lines = messages.map(
    ({ role, content }) => `{ ${name('role')}: ${quote(role)}, ${name('content')}: ${quote(content)} }`,
  );
  if (lines.length <= 1) return `[${lines.join('')}]`;
  return `[\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}]`;
}

/** For single quotes in a shell. */
function quoteForShell(text: string): string {
  return text.replaceAll("'", String.raw`'\''`);
}

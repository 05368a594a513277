import { randomBytes } from 'node:crypto';

/** The limit of a request's body. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

export function randomLetters(count: number): string {
  return Array.from(randomBytes(count), (byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** Chinese characters in an order that no text has. */
export function randomCjk(count: number): string {
  const bytes = randomBytes(2 * count);
  let text = '';
  for (let i = 0; i < count; i++) text += String.fromCharCode(0x4e00 + (bytes.readUInt16LE(2 * i) % 20_000));
  return text;
}

export function messages(texts: readonly string[], more: object = {}): string {
  return JSON.stringify({
    model: 'plain',
    messages: texts.map((content) => ({ role: 'user', content })),
    ...more,
  });
}

/** A body of one message with this text over and over, up to the limit. */
function filledWith(text: string): string {
  const room = LARGEST_BYTES - 1_000;
  return messages([text.repeat(Math.floor(room / Buffer.byteLength(JSON.stringify(text).slice(1, -1))))]);
}

function tool(parameters: string): string {
  return `{"model":"plain","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]}`;
}

function nestedTool(): string {
  const levels = 40;
  const one = `${'{"properties":{"a":'.repeat(levels / 2)}{"type":"string"}${'}}'.repeat(levels / 2)}`;
  const count = Math.floor((LARGEST_BYTES - 1_000) / (one.length + 10));
  const members = Array.from({ length: count }, (_, i) => `"k${String(i)}":${one}`);
  return tool(`{"type":"object","properties":{${members.join(',')}}}`);
}

/** Bodies as large as the service takes, of every odd kind. */
export const LARGE_BODIES: Readonly<Record<string, () => string>> = {
  letters: () => filledWith(randomLetters(100_000)),
  cjk: () => filledWith(randomCjk(10_000)),
  emoji: () => filledWith('👩‍👩‍👧‍👦🏳️‍🌈'),
  spaces: () => filledWith(' '),
  escapes: () => messages(['x']).replace('"x"', `"${'\\u4e2d'.repeat(LARGEST_BYTES / 6 - 200)}"`),
  tools: nestedTool,
  arrays: () => tool(`{"enum":[${'[],'.repeat(LARGEST_BYTES / 3 - 200)}0]}`),
  numbers: () => tool(`{"enum":[${'0,'.repeat(LARGEST_BYTES / 2 - 200)}0]}`),
  names: () =>
    tool(
      `{"properties":{${Array.from({ length: 230_000 }, (_, i) => `"${(i * 7_919).toString(36)}":{}`).join(',')}}}`,
    ),
  messages: () => messages(Array.from({ length: 2_048 }, () => randomLetters(2_000))),
};

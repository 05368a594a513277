import { BYTES_AT_ONCE, writeJson } from '@farebox/flow';
import { watched } from '../../test/watched-json';
import { readLongAnswer, textsOf, type WholeAnswer } from './answers';

/** Other requests are served while responses of ten megabytes are read: no step takes longer than a turn. */

const LENGTH = 10_000_000;
/** Text that JSON must escape, and bytes outside ASCII. */
const WORDS = 'Trams "run" — on\nrails. ';
const long = (length = LENGTH): string => WORDS.repeat(Math.ceil(length / WORDS.length));

const usage = { input_tokens: 3, output_tokens: 4 };
const ofMessages = (content: object[]): object => ({
  type: 'message',
  content,
  stop_reason: 'end_turn',
  usage,
});
const ofChat = (message: object): object => ({ choices: [{ message, finish_reason: 'stop' }] });
const inBlocks = (count: number, blockOf: (text: string) => object): object[] =>
  Array.from({ length: count }, () => blockOf(long(LENGTH / count)));

interface Long {
  what: string;
  wire: 'chat' | 'messages';
  answer: object;
}

const TEXTS: Long[] = [
  { what: 'one text of messages', wire: 'messages', answer: ofMessages([{ type: 'text', text: long() }]) },
  {
    what: 'many texts of messages',
    wire: 'messages',
    answer: ofMessages(inBlocks(100, (text) => ({ type: 'text', text }))),
  },
  {
    what: 'thoughts',
    wire: 'messages',
    answer: ofMessages(inBlocks(10, (thinking) => ({ type: 'thinking', thinking }))),
  },
  { what: 'one text of chat', wire: 'chat', answer: ofChat({ content: long() }) },
  {
    what: 'the parts of one',
    wire: 'chat',
    answer: ofChat({ content: inBlocks(100, (text) => ({ type: 'text', text })) }),
  },
  {
    what: 'calls',
    wire: 'chat',
    answer: ofChat({
      tool_calls: inBlocks(10, (text) => ({ function: { name: 'write', arguments: text } })),
    }),
  },
];

const CALLS: Long[] = [
  {
    what: 'calls with long texts',
    wire: 'messages',
    answer: ofMessages(inBlocks(30, (text) => ({ type: 'tool_use', name: 'write', input: { text, at: 1 } }))),
  },
];

async function readInTurns({ wire, answer }: Long): Promise<WholeAnswer> {
  const body = Buffer.from(JSON.stringify(answer));
  const { result, turns, longestAtOnce } = await watched(() => readLongAnswer(body, { wire }));
  expect(turns).toBeGreaterThan(LENGTH / BYTES_AT_ONCE);
  expect(longestAtOnce).toBeLessThan(2 * BYTES_AT_ONCE);
  const said = result.choices.flatMap(textsOf).join('');
  expect(said.split(/"run"|\\"run\\"/).length).toBeGreaterThan(LENGTH / WORDS.length);
  return result;
}

it.each(CALLS)('a long response that is $what is read in turns', async (given) => {
  await readInTurns(given);
});

it.each(TEXTS)(
  'a long response that is $what is read in turns and written without escaping it again',
  async (given) => {
    const { written, choices } = await readInTurns(given);
    if (!written) throw new Error('it was not read in turns');
    const again = await watched(() => Promise.resolve(Buffer.concat(writeJson(choices, written))));
    expect(JSON.parse(again.result.toString())).toEqual(choices);
    expect(again.longestAtOnce).toBeLessThan(2 * BYTES_AT_ONCE);
  },
);

import { randomBytes } from 'node:crypto';
import { WIRE_PATHS, type Wire } from '../gateway/conversation';

/** The protocol of a client. */
export type ClientWire = Wire | 'embeddings';

export const CLIENT_PATHS: Readonly<Record<ClientWire, string>> = {
  ...WIRE_PATHS,
  embeddings: '/embeddings',
};

/** The gateway accepts 32,768 values, and 320,000 of embeddings. */
const VALUES = 31_000;
const TOKENS = 300_000;
/** Of these it accepts 4,096 messages, 1,024 parts in each, and 2,048 texts of embeddings. */
const MESSAGES = 4_000;
const PARTS = 1_000;
const TEXTS = 2_000;
const LEVELS = 40;

/** The long part of a request, whatever the wire, as JSON. */
interface LongPart {
  /** Each is a message. */
  texts?: readonly string[];
  /** Each is a part of a message. */
  parts?: readonly string[];
  /** The schema of a tool's parameters. */
  schema?: string;
  /** The arguments of an earlier call. */
  input?: string;
  /** In base64. */
  image?: string;
}

/** A kind of long body. Both functions return about `bytes` of JSON. */
export interface BodyKind {
  name: string;
  what: string;
  build: (bytes: number) => LongPart;
  /** The input of a request for embeddings, if it can be of this kind. */
  embed?: (bytes: number) => { input: string; vectors: number };
}

/** Without quotes and backslashes. */
const letters = (count: number): string =>
  randomBytes(Math.ceil((count * 3) / 4))
    .toString('base64')
    .slice(0, count);

/** `count` entries of `bytes` in all, of which `around` are not the letters that fill them. */
function filled(
  count: number,
  bytes: number,
  around: number,
  entry: (letters: string, i: number) => string,
): string[] {
  const length = Math.max(1, Math.floor(bytes / count) - around);
  return Array.from({ length: count }, (_, i) => entry(`${letters(length - 1)}${String(i % 10)}`, i));
}

const repeated = (piece: string, bytes: number): string =>
  `"${piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))}"`;

const ofOneText = (piece: string): Pick<BodyKind, 'build' | 'embed'> => ({
  build: (bytes) => ({ texts: [repeated(piece, bytes)] }),
  embed: (bytes) => ({ input: repeated(piece, bytes), vectors: 1 }),
});

const quoted = (text: string): string => `"${text}"`;

export const BODY_KINDS: readonly BodyKind[] = [
  { name: 'letters', what: 'one text of letters', ...ofOneText(letters(1_024)) },
  { name: 'cjk', what: 'one text of Chinese characters', ...ofOneText('\u4e2d\u6587') },
  { name: 'escapes', what: 'one text of escaped characters', ...ofOneText('\\u4e2d\\n') },
  { name: 'unfit', what: 'one text of NUL and halves of surrogate pairs', ...ofOneText('\\u0000\\ud800') },
  {
    name: 'messages',
    what: `${MESSAGES.toLocaleString('en')} messages; ${TEXTS.toLocaleString('en')} texts of embeddings`,
    build: (bytes) => ({ texts: filled(MESSAGES, bytes, 36, quoted) }),
    embed: (bytes) => ({ input: `[${filled(TEXTS, bytes, 3, quoted).join(',')}]`, vectors: TEXTS }),
  },
  {
    name: 'parts',
    what: `messages of ${PARTS.toLocaleString('en')} parts`,
    build: (bytes) => ({ parts: filled(VALUES / 4, bytes, 36, quoted) }),
  },
  {
    name: 'nesting',
    what: `a tool's schema that is nested in ${String(LEVELS)} levels`,
    build: (bytes) => {
      const levels = filled(VALUES - (2 * VALUES) / LEVELS, bytes, 6, (name) => `{"${name}":`);
      const chains = Array.from({ length: Math.floor(levels.length / LEVELS) }, (_, i) => {
        const chain = levels.slice(i * LEVELS, (i + 1) * LEVELS);
        return `"k${String(i)}":${chain.join('')}0${'}'.repeat(chain.length)}`;
      });
      return { schema: `{"type":"object","properties":{${chains.join(',')}}}` };
    },
  },
  {
    name: 'numbers',
    what: "numbers in a tool's schema; tokens of embeddings",
    build: (bytes) => ({
      schema: `{"enum":[${filled(VALUES, bytes, 3, ({ length }) => `0.${'7'.repeat(length)}`).join(',')}]}`,
    }),
    embed: (bytes) => ({
      input: `[${filled(TOKENS, bytes, 1, ({ length }, i) => String(i).padStart(length)).join(',')}]`,
      vectors: 1,
    }),
  },
  {
    name: 'keys',
    what: "the names of members in a tool's schema",
    build: (bytes) => {
      const members = filled(VALUES / 2, bytes, 12, (name, i) => `"${String(i)}${name}":{}`);
      return { schema: `{"type":"object","properties":{${members.join(',')}}}` };
    },
  },
  {
    name: 'arguments',
    what: 'the arguments of an earlier call: the text of a file',
    // In chat they are a text in which each escape is escaped again.
    build: (bytes) => ({
      input: `{"path":"a","content":${repeated('  return \\"text\\";\\n', Math.floor(bytes / 1.25))}}`,
    }),
  },
  {
    name: 'members',
    what: 'the arguments of an earlier call: an object of many members',
    build: (bytes) => ({
      input: `{${filled(VALUES, bytes / 1.1, 12, (text, i) => `"${String(i)}":"${text}"`).join(',')}}`,
    }),
  },
  {
    name: 'image',
    what: 'an image in base64',
    build: (bytes) => ({ image: Buffer.alloc(Math.floor((bytes * 3) / 4), 'farebox').toString('base64') }),
  },
];

/** What a request says beside its long part, and where the long part goes. */
const ROOM_AROUND = 1_024;
const CALL_ID = 'call_1';
const TOOL = 'look';

const user = (content: string): string => `{"role":"user","content":${content}}`;

function grouped(parts: readonly string[], toPart: (literal: string) => string): string[] {
  const groups: string[] = [];
  for (let from = 0; from < parts.length; from += PARTS)
    groups.push(
      user(
        `[${parts
          .slice(from, from + PARTS)
          .map(toPart)
          .join(',')}]`,
      ),
    );
  return groups;
}

interface Translation {
  list: string;
  toPart: (literal: string) => string;
  toImage: (base64: string) => string;
  toCall: (input: string) => string[];
  toTool: (schema: string) => string;
  /** Fields that the wire requires. */
  more: string;
}

const pngOf = (base64: string): string => `"data:image/png;base64,${base64}"`;

const TRANSLATIONS: Readonly<Record<Wire, Translation>> = {
  chat: {
    list: 'messages',
    toPart: (text) => `{"type":"text","text":${text}}`,
    toImage: (base64) => `{"type":"image_url","image_url":{"url":${pngOf(base64)}}}`,
    toCall: (input) => [
      `{"role":"assistant","content":null,"tool_calls":[{"id":"${CALL_ID}","type":"function","function":{"name":"${TOOL}","arguments":${JSON.stringify(input)}}}]}`,
      `{"role":"tool","tool_call_id":"${CALL_ID}","content":"done"}`,
    ],
    toTool: (schema) => `{"type":"function","function":{"name":"${TOOL}","parameters":${schema}}}`,
    more: '"max_tokens":64',
  },
  messages: {
    list: 'messages',
    toPart: (text) => `{"type":"text","text":${text}}`,
    toImage: (base64) =>
      `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${base64}"}}`,
    toCall: (input) => [
      `{"role":"assistant","content":[{"type":"tool_use","id":"${CALL_ID}","name":"${TOOL}","input":${input}}]}`,
      user(`[{"type":"tool_result","tool_use_id":"${CALL_ID}","content":"done"}]`),
    ],
    toTool: (schema) => `{"name":"${TOOL}","input_schema":${schema}}`,
    more: '"max_tokens":64',
  },
  responses: {
    list: 'input',
    toPart: (text) => `{"type":"input_text","text":${text}}`,
    toImage: (base64) => `{"type":"input_image","image_url":${pngOf(base64)}}`,
    toCall: (input) => [
      `{"type":"function_call","call_id":"${CALL_ID}","name":"${TOOL}","arguments":${JSON.stringify(input)}}`,
      `{"type":"function_call_output","call_id":"${CALL_ID}","output":"done"}`,
    ],
    toTool: (schema) => `{"type":"function","name":"${TOOL}","parameters":${schema}}`,
    more: '"max_output_tokens":64',
  },
};

/** A request of a kind on a wire; undefined if there is none. Its body has at most `bytes`. */
export function longBody(
  { build, embed }: BodyKind,
  wire: ClientWire,
  { model, bytes, isStream }: { model: string; bytes: number; isStream: boolean },
): Buffer | undefined {
  const room = bytes - ROOM_AROUND;
  if (wire === 'embeddings') {
    const embedded = embed?.(room);
    return (
      embedded && Buffer.from(`{"model":"${vectorsModelOf(embedded.vectors)}","input":${embedded.input}}`)
    );
  }
  const { list, toPart, toImage, toCall, toTool, more } = TRANSLATIONS[wire];
  const { texts = [], parts = [], schema, input, image } = build(room);
  const entries = [
    user('"Hello."'),
    ...(input === undefined ? [] : toCall(input)),
    ...texts.map(user),
    ...grouped(parts, toPart),
    ...(image === undefined ? [] : [user(`[${toImage(image)}]`)]),
  ];
  const tools = schema === undefined ? '' : `"tools":[${toTool(schema)}],`;
  const stream = isStream ? '"stream":true,' : '';
  return Buffer.from(`{"model":"${model}",${stream}${tools}${more},"${list}":[${entries.join(',')}]}`);
}

/** The model whose upstream returns this many vectors. */
export const vectorsModelOf = (vectors: number): string => `vectors-${String(vectors)}`;

export const VECTORS = [1, TEXTS];

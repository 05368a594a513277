import fc from 'fast-check';
import { chatBody, chatStream } from './chat-answer';
import { embeddingsBody } from './embeddings-answer';
import { messagesBody, messagesStream } from './messages-answer';
import { CANARY } from './odd-values';

/** Combinations of the client's wire and the upstream's. */
const PAIRS = [
  { wire: 'chat completions', speaks: 'chat', weight: 3 },
  { wire: 'responses', speaks: 'chat', weight: 2 },
  { wire: 'messages', speaks: 'chat', weight: 2 },
  { wire: 'chat completions', speaks: 'messages', weight: 1 },
  { wire: 'responses', speaks: 'messages', weight: 1 },
  { wire: 'messages', speaks: 'messages', weight: 2 },
  { wire: 'embeddings', speaks: 'embeddings', weight: 1 },
] as const;

export type HostileSpeech = (typeof PAIRS)[number]['speaks'];

/** The pieces that an upstream writes to its socket, and how it closes. */
export interface HostileAnswer {
  /** The name of the client's wire. */
  wire: (typeof PAIRS)[number]['wire'];
  speaks: HostileSpeech;
  stream: boolean;
  /** Choices, or inputs of embeddings. */
  n: number;
  keepsAnswer: boolean;
  /** The client leaves after this many bytes; never, if undefined. */
  leavesAfter: number | undefined;
  bytes: string;
  /** The places where the bytes are cut, as shares of their length. */
  cuts: number[];
  ending: 'closes' | 'resets';
}

const STATUS_LINES = [
  '200 OK',
  '200',
  '200 \u00fc',
  '204 No Content',
  '206 Partial',
  '302 Found',
  '400 Bad',
  '401 No',
  '404 No',
];
const status = fc.oneof(
  { arbitrary: fc.constant('200 OK'), weight: 14 },
  {
    arbitrary: fc.constantFrom(
      ...STATUS_LINES,
      '422 X',
      '429 X',
      '500 X',
      '503 X',
      '999 X',
      '100 Continue',
      '20 X',
      'x',
    ),
    weight: 1,
  },
);
const contentTypes = (right: string): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(right, `${right}; charset=utf-8`, right.toUpperCase()), weight: 14 },
    {
      arbitrary: fc.constantFrom(
        'text/html',
        '',
        'application/json',
        'text/event-stream',
        `${right}; charset=utf-16`,
        'x/y',
      ),
      weight: 1,
    },
  );

/** Framings of the body; the last ones are broken. */
const FRAMINGS: readonly ((body: string) => string)[] = [
  (body) => `content-length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  (body) => `connection: close\r\n\r\n${body}`,
  (body) => `transfer-encoding: chunked\r\n\r\n${inChunks(body)}0\r\n\r\n`,
  (body) => `content-length: ${String(Buffer.byteLength(body) + 7)}\r\n\r\n${body}`,
  (body) => `content-length: ${String(Math.max(0, Buffer.byteLength(body) - 7))}\r\n\r\n${body}`,
  (body) => `transfer-encoding: chunked\r\n\r\n${inChunks(body)}`,
  (body) => `transfer-encoding: chunked\r\n\r\nzz\r\n${body}`,
  (body) => `content-length: 5\r\ncontent-length: 6\r\n\r\n${body}`,
  (body) => `content-encoding: gzip\r\nconnection: close\r\n\r\n${body}`,
];
const framing = fc.oneof(
  { arbitrary: fc.constantFrom(0, 1, 2), weight: 12 },
  { arbitrary: fc.integer({ min: 3, max: FRAMINGS.length - 1 }), weight: 1 },
);

function inChunks(body: string): string {
  const size = Math.max(1, Math.ceil(body.length / 3));
  const parts = Array.from({ length: 3 }, (_, part) => body.slice(part * size, (part + 1) * size)).filter(
    Boolean,
  );
  return parts.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join('');
}

interface Said {
  stream: boolean;
  body: string;
  type: string;
}

const inOnePiece = (bodies: fc.Arbitrary<string>): fc.Arbitrary<Said> =>
  fc.record({ stream: fc.constant(false), body: bodies, type: contentTypes('application/json') });
const streamed = (bodies: fc.Arbitrary<string>): fc.Arbitrary<Said> =>
  fc.record({ stream: fc.constant(true), body: bodies, type: contentTypes('text/event-stream') });

const SAID: Readonly<Record<HostileSpeech, fc.Arbitrary<Said>>> = {
  chat: fc.oneof(inOnePiece(chatBody), streamed(chatStream)),
  messages: fc.oneof(inOnePiece(messagesBody), streamed(messagesStream)),
  embeddings: inOnePiece(embeddingsBody),
};

/** Answers of one pair each: the cases are spread over the wires. */
const said = fc.oneof(
  ...PAIRS.map(({ wire, speaks, weight }) => ({
    arbitrary: SAID[speaks].map((one) => ({ wire, speaks, ...one })),
    weight,
  })),
);

export const hostileAnswer: fc.Arbitrary<HostileAnswer> = fc
  .record({
    answer: said,
    status,
    framing,
    n: fc.constantFrom(1, 1, 2),
    keepsAnswer: fc.boolean(),
    leavesAfter: fc.oneof(
      { arbitrary: fc.constant(undefined), weight: 9 },
      { arbitrary: fc.nat(4_000), weight: 1 },
    ),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
    ending: fc.constantFrom('closes' as const, 'closes' as const, 'closes' as const, 'resets' as const),
  })
  .map(({ answer: { body, type, ...of }, status: line, framing: frame, ...rest }) => ({
    ...rest,
    ...of,
    bytes: `HTTP/1.1 ${line}\r\nx-request-id: ${CANARY}\r\ncontent-type: ${type}\r\n${FRAMINGS[frame]?.(body) ?? ''}`,
  }));

import fc from 'fast-check';
import type { Ending } from '../../raw-http/raw-exchange';
import type { FuzzKeys } from './headers';
import { fuzzRequest, repeatableRequest, requestToLeave, streamRequest, type FuzzRequest } from './request';

/** Everything that one client does on one connection. */
export interface Conversation {
  requests: FuzzRequest[];
  /** The cuts between the pieces that are sent one by one, in thousandths of the whole. */
  cuts: number[];
  /** Whether each request is cut into several pieces. */
  isCutBetween: boolean;
  /** The time between two pieces. */
  pauseMs: number;
  /** How many thousandths of the bytes are sent. */
  sent: number;
  ending: Ending;
}

const WHOLE = 1_000;

/** The bytes of a conversation, piece by piece. */
export function piecesOf({ requests, cuts, isCutBetween, sent }: Conversation): string[] {
  const text = requests.map((request) => request.text).join('');
  const whole = text.slice(0, Math.ceil((text.length * sent) / WHOLE));
  const ends = cuts.map((cut) => Math.floor((whole.length * cut) / WHOLE));
  if (isCutBetween) ends.push(...boundariesOf(requests));
  ends.sort((one, other) => one - other);
  return [0, ...ends].map((start, i) => whole.slice(start, ends[i])).filter((piece) => piece !== '');
}

function boundariesOf(requests: readonly FuzzRequest[]): number[] {
  let length = 0;
  return requests.slice(0, -1).map(({ text }) => (length += text.length));
}

/** Whether the requests are unambiguous and were sent in full. */
export function isClear({ requests, sent }: Conversation): boolean {
  return sent === WHOLE && requests.every(({ isWellFramed }) => isWellFramed);
}

const NO_REQUESTS = [
  ...[
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    '\r\n\r\n',
    '\n',
    '',
  ],
  ...[
    'SSH-2.0-x\r\n',
    'GET /v1/models\r\n\r\n',
    'HTTP/1.1 200 OK\r\n\r\n',
    '{"model":"echo"}\r\n\r\n',
    '\0'.repeat(50),
  ],
  ...[
    'GET /v1/models HTTP/1.1\n\n',
    'GET /v1/models HTTP/1.1\r\rHost: x\r\r',
    '\x05\x01\x00',
    ' GET / HTTP/1.1\r\n\r\n',
  ],
];

const CONNECT = { text: 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n', method: 'CONNECT', isWellFramed: false };

const noRequest: fc.Arbitrary<FuzzRequest> = fc
  .oneof(
    fc.constantFrom(...NO_REQUESTS),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  )
  .map((text) => ({ text, method: '', isWellFramed: false }));

const cuts = fc.oneof(
  { arbitrary: fc.constant<number[]>([]), weight: 4 },
  { arbitrary: fc.array(fc.integer({ min: 1, max: WHOLE - 1 }), { maxLength: 6 }), weight: 1 },
);
const isCutBetween = fc.boolean();
const pauseMs = fc.constantFrom(1, 1, 1, 30);
const sent = fc.oneof(
  { arbitrary: fc.constant(WHOLE), weight: 24 },
  { arbitrary: fc.integer({ min: 0, max: WHOLE }), weight: 1 },
);
const leaves: fc.Arbitrary<Ending> = fc.record({
  kind: fc.constant('leaves' as const),
  afterBytes: fc.nat({ max: 20_000 }),
  afterMs: fc.nat({ max: 150 }),
});
const ending: fc.Arbitrary<Ending> = fc.oneof(
  { arbitrary: fc.constant({ kind: 'listens' as const }), weight: 12 },
  { arbitrary: fc.constant({ kind: 'halfCloses' as const }), weight: 1 },
  { arbitrary: leaves, weight: 1 },
);

/** Pipelined requests: only the last one may end the connection. */
function inPipeline(requests: readonly FuzzRequest[]): FuzzRequest[] {
  const keepOpen = (text: string): string => text.replace('\r\nConnection: close', '');
  return requests.map((each, i) =>
    i === requests.length - 1 ? each : { ...each, text: keepOpen(each.text) },
  );
}

/** A long stream, during which the client sends something else. */
const interruption = (keys: FuzzKeys, request: fc.Arbitrary<FuzzRequest>): fc.Arbitrary<Conversation> =>
  fc
    .tuple(
      streamRequest(keys),
      fc.oneof(request, noRequest, fc.constant(CONNECT)),
      fc.constantFrom(100, 300, 600),
    )
    .map(([stream, next, afterMs]) => ({
      requests: inPipeline([stream, next]),
      cuts: [],
      isCutBetween: true,
      pauseMs: afterMs,
      sent: WHOLE,
      ending: { kind: 'listens' },
    }));

export const conversation = (keys: FuzzKeys): fc.Arbitrary<Conversation> => {
  const request = fuzzRequest(keys);
  const requests = fc.oneof(
    { arbitrary: fc.tuple(request), weight: 20 },
    { arbitrary: fc.array(request, { minLength: 2, maxLength: 4 }).map(inPipeline), weight: 3 },
    { arbitrary: repeatableRequest(keys).map((again) => inPipeline([again, again])), weight: 1 },
    { arbitrary: fc.tuple(noRequest), weight: 1 },
    { arbitrary: fc.tuple(noRequest, request), weight: 1 },
  );
  const whole = fc.constant(WHOLE);
  const left = fc.tuple(requestToLeave(keys));
  return fc.oneof(
    { arbitrary: fc.record({ requests, cuts, isCutBetween, pauseMs, sent, ending }), weight: 40 },
    {
      arbitrary: fc.record({ requests: left, cuts, isCutBetween, pauseMs, sent: whole, ending: leaves }),
      weight: 2,
    },
    { arbitrary: interruption(keys, request), weight: 1 },
  );
};

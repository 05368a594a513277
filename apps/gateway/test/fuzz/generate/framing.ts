import fc from 'fast-check';

/** The framing of a body: its header lines, and the bytes after the headers. */
interface FramedBody {
  headers: string[];
  text: string;
}

export type Framing = (body: string) => FramedBody;

const LENGTH = 'Content-Length: ';
const CHUNKED = 'Transfer-Encoding: chunked';

const byLength: Framing = (body) => ({
  headers: body === '' ? [] : [`${LENGTH}${String(body.length)}`],
  text: body,
});

interface ChunkStyle {
  /** Chunks of this many bytes. */
  size: number;
  /** The extension after each chunk size. */
  extension: string;
  lineEnd: string;
  /** The bytes from the last chunk on. */
  end: string;
}

function inChunks(body: string, { size, extension, lineEnd, end }: ChunkStyle): string {
  let text = '';
  for (let start = 0; start < body.length; start += size) {
    const chunk = body.slice(start, start + size);
    text += `${chunk.length.toString(16)}${extension}${lineEnd}${chunk}${lineEnd}`;
  }
  return text + end;
}

const chunkSize = fc.constantFrom(1, 7, 100, 5_000_000);
const goodChunks: fc.Arbitrary<Framing> = fc
  .record({
    size: chunkSize,
    extension: fc.constantFrom('', '', ';a', ';a=b', ';a="b c"'),
    lineEnd: fc.constant('\r\n'),
    end: fc.constantFrom('0\r\n\r\n', '0\r\n\r\n', '0\r\nX-A: b\r\n\r\n', '000\r\n\r\n'),
  })
  .map((style) => (body) => ({
    headers: [CHUNKED],
    text: inChunks(body, { ...style, size: Math.max(style.size, Math.ceil(body.length / 500)) }),
  }));

/** A validly framed body. */
export const goodFraming: fc.Arbitrary<Framing> = fc.oneof(
  { arbitrary: fc.constant(byLength), weight: 4 },
  { arbitrary: goodChunks, weight: 1 },
);

const BAD_SIZES = [
  'zz\r\n',
  '-1\r\n',
  '0x5\r\n',
  `${'f'.repeat(20)}\r\n`,
  '\r\n',
  ' 5\r\n',
  '5 \r\n',
  ';\r\n',
  '5;\0\r\n',
];
const BAD_LENGTHS = [
  '',
  '-1',
  '+5',
  '1.5',
  '5, 6',
  '0x10',
  '1 2',
  '99999999999999999999',
  '5000000',
  '\xb2',
  'five',
];

const headersAndBody =
  (...headers: string[]): Framing =>
  (body) => ({ headers, text: body });

/** A body with an ambiguous end. */
export const badFraming: fc.Arbitrary<Framing> = fc.oneof(
  fc.constant(headersAndBody()),
  fc.constantFrom(...BAD_LENGTHS).map((length) => headersAndBody(LENGTH + length)),
  fc.integer({ min: -30, max: 30 }).map((by): Framing => (body) => ({
    headers: [`${LENGTH}${String(Math.max(0, body.length + by))}`],
    text: body,
  })),
  fc.constantFrom(0, 1).map((by): Framing => (body) => ({
    headers: [`${LENGTH}${String(body.length)}`, `${LENGTH}${String(body.length + by)}`],
    text: body,
  })),
  fc
    .constantFrom(
      CHUNKED,
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding: chunked, gzip',
      'Transfer-Encoding : chunked',
      'Transfer-Encoding: \x0bchunked',
      'Transfer-Encoding: chunked, chunked',
    )
    .map((encoding): Framing => (body) => ({
      headers: [`${LENGTH}${String(body.length)}`, encoding],
      text: inChunks(body, { size: 50_000, extension: '', lineEnd: '\r\n', end: '0\r\n\r\n' }),
    })),
  fc.constantFrom(...BAD_SIZES).map((size): Framing => (body) => ({ headers: [CHUNKED], text: size + body })),
  fc
    .record({
      size: chunkSize.map((size) => Math.max(size, 100)),
      extension: fc.constantFrom('', ' ', ';a\rb', ';\0', ';a="', `;${'x'.repeat(20_000)}`),
      lineEnd: fc.constantFrom('\r\n', '\n', '\r', '', '\r\n\r\n'),
      end: fc.constantFrom(
        '0\r\n\r\n',
        '',
        '0\r\n',
        '\r\n',
        '0\n\n',
        '0\r\nX : a\r\n\r\n',
        '0\r\nContent-Length: 5\r\n\r\n',
      ),
    })
    .map((style): Framing => (body) => ({ headers: [CHUNKED], text: inChunks(body, style) })),
);

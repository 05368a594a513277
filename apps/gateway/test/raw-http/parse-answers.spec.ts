import { MalformedAnswer } from './malformed-answer';
import { parseAnswers } from './parse-answers';

const head = (headers: string, status = '200 OK'): string => `HTTP/1.1 ${status}\r\n${headers}\r\n`;
const sized = (body: string): string => `${head(`Content-Length: ${String(body.length)}\r\n`)}${body}`;
const chunked = (body: string): string => `${head('Transfer-Encoding: chunked\r\n')}${body}`;

const bodiesOf = (received: string, methods: string[] = ['GET', 'GET']): [string, boolean][] =>
  parseAnswers(received, methods).answers.map(({ body, isCut }) => [body, isCut]);

describe('answers are read', () => {
  it.each<[string, string, [string, boolean][]]>([
    ['none', '', []],
    ['of a length', sized('abc'), [['abc', false]]],
    [
      'one behind the other',
      sized('a') + sized('b'),
      [
        ['a', false],
        ['b', false],
      ],
    ],
    ['in chunks', chunked('2\r\nab\r\n1\r\nc\r\n0\r\n\r\n'), [['abc', false]]],
    ['up to the close', `${head('Connection: close\r\n')}abc`, [['abc', false]]],
    ['behind a 100', `HTTP/1.1 100 Continue\r\n\r\n${sized('a')}`, [['a', false]]],
    ['cut in their length', sized('abc').slice(0, -1), [['ab', true]]],
    ['cut in a chunk', chunked('5\r\nab'), [['ab', true]]],
    ['cut behind a chunk', chunked('2\r\nab\r\n'), [['ab', true]]],
    ['cut in a chunk size', chunked('2\r\nab\r\n1'), [['ab', true]]],
  ])('%s', (_name, received, bodies) => {
    expect(bodiesOf(received)).toEqual(bodies);
  });

  it('to HEAD, without a body', () => {
    expect(bodiesOf(head('Content-Length: 3\r\n') + sized('b'), ['HEAD', 'GET'])).toEqual([
      ['', false],
      ['b', false],
    ]);
  });

  it('with their headers', () => {
    expect(parseAnswers(head('X-Request-Id: a b\r\nContent-Length: 0\r\n'), ['GET']).answers).toEqual([
      {
        status: 200,
        headers: [
          ['x-request-id', 'a b'],
          ['content-length', '0'],
        ],
        body: '',
        isCut: false,
      },
    ]);
  });

  it('and the rest of one that ended within its headers', () => {
    expect(parseAnswers(`${sized('a')}HTTP/1.1 20`, ['GET']).cutHead).toBe('HTTP/1.1 20');
  });
});

it.each([
  ['a status line of another version', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['a status line without a reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'],
  ['something before the status line', `\r\n${sized('a')}`],
  ['something behind an answer', `${sized('a')}b`],
  ['a bare line feed', 'HTTP/1.1 200 OK\nContent-Length: 0\n\r\n\r\n'],
  ['a header without a value', head('X:\r\nContent-Length: 0\r\n')],
  ['a header with a space before the colon', head('X : a\r\nContent-Length: 0\r\n')],
  ['a folded header', head('X: a\r\n b\r\nContent-Length: 0\r\n')],
  ['a control character', head('X: a\x01\r\nContent-Length: 0\r\n')],
  ['two lengths', head('Content-Length: 0\r\nContent-Length: 0\r\n')],
  ['a length and chunks', head('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n')],
  ['an invalid length', head('Content-Length: +1\r\n')],
  ['no length on a connection that stays', `${head('X: a\r\n')}abc`],
  ['another encoding', head('Transfer-Encoding: gzip\r\n')],
  ['a chunk extension', chunked('1;a\r\nb\r\n0\r\n\r\n')],
  ['a chunk over its size', chunked('1\r\nab\r\n0\r\n\r\n')],
  ['a trailer', chunked('0\r\nX: a\r\n\r\n')],
])('%s is not an answer', (_name, received) => {
  expect(() => parseAnswers(received, ['GET', 'GET'])).toThrow(MalformedAnswer);
});

import { durationMs, listenHost, port, postgresUrl, redisUrl } from './fields';
import { answerKeys, keyPeppers } from './versioned-secrets';

describe('port', () => {
  it.each(['0', '8080', '65535'])('accepts %s', (text) => {
    expect(port().parse(text)).toBe(Number(text));
  });
  it.each(['', '-1', '65536', '80.5', '0x50', '8080 ', '1e3', 'http'])('refuses "%s"', (text) => {
    expect(port().safeParse(text).success).toBe(false);
  });
});

describe('URLs', () => {
  it.each(['postgres://a@b/c', 'postgresql:///c'])('accepts %s for PostgreSQL', (text) => {
    expect(postgresUrl().parse(text)).toBe(text);
  });
  it.each(['mysql://a@b/c', 'localhost:5432', 'postgres'])('refuses "%s" for PostgreSQL', (text) => {
    expect(postgresUrl().safeParse(text).success).toBe(false);
  });
  it('accepts redis and rediss for Redis', () => {
    expect(redisUrl().parse('rediss://r:6380')).toBe('rediss://r:6380');
    expect(redisUrl().safeParse('http://r:6380').success).toBe(false);
  });
});

describe('listenHost', () => {
  it.each(['127.0.0.1', '::1', '0.0.0.0', 'localhost'])('accepts %s', (text) => {
    expect(listenHost().parse(text)).toBe(text);
  });
  it.each(['', 'http://localhost', 'a b'])('refuses "%s"', (text) => {
    expect(listenHost().safeParse(text).success).toBe(false);
  });
});

describe('durationMs', () => {
  const field = durationMs({ min: 0, max: 86_400_000 });
  it.each([
    ['250', 250],
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
  ])('reads %s', (text, ms) => {
    expect(field.parse(text)).toBe(ms);
  });
  it.each(['', '-1', '1.5s', '5 m', '1d', '25h'])('refuses "%s"', (text) => {
    expect(field.safeParse(text).success).toBe(false);
  });
});

describe('keyPeppers', () => {
  const [first, second] = ['0a'.repeat(32), '0B'.repeat(32)];

  it('puts the highest version first', () => {
    const peppers = keyPeppers().parse(`1:${first}, 2:${second}`);
    expect(peppers.map((pepper) => pepper.version)).toEqual([2, 1]);
    expect(peppers[0]?.secret).toEqual(Buffer.alloc(32, 0x0b));
  });

  it.each([
    ['nothing', ''],
    ['no version', first],
    ['version zero', `0:${first}`],
    ['a version over smallint', `32768:${first}`],
    ['63 digits', `1:${first.slice(1)}`],
    ['a trailing comma', `1:${first},`],
    ['a version twice', `1:${first},1:${second}`],
  ])('refuses %s', (_, text) => {
    expect(keyPeppers().safeParse(text).success).toBe(false);
  });
});

describe('answerKeys', () => {
  const [first, second] = ['0a'.repeat(32), '0b'.repeat(32)];

  it('have the same format as peppers', () => {
    expect(answerKeys().parse(`1:${first},255:${second}`)).toEqual([
      { version: 255, secret: Buffer.alloc(32, 0x0b) },
      { version: 1, secret: Buffer.alloc(32, 0x0a) },
    ]);
    expect(answerKeys().safeParse(first).success).toBe(false);
  });

  it('have versions that fit into a byte', () => {
    expect(answerKeys().safeParse(`256:${first}`).success).toBe(false);
  });
});

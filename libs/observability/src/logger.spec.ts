import { ApiError } from '@farebox/errors';
import type { LogFields } from './log-fields';
import { createLogger, type LogLevel, type Logger } from './logger';

function capture(level: LogLevel = 'info'): { logger: Logger; text: () => string; records: () => unknown[] } {
  const lines: string[] = [];
  const logger = createLogger({
    service: 'gateway',
    level,
    destination: { write: (line) => void lines.push(line) },
  });
  return {
    logger,
    text: () => lines.join(''),
    records: () => lines.map((line) => JSON.parse(line) as unknown),
  };
}

describe('createLogger', () => {
  it('writes one JSON line with time, level, service, fields and message, and nothing else', () => {
    const { logger, records, text } = capture();
    logger.info(
      { event: 'request_completed', status: 200, duration_ms: 1.5, stream: false },
      'Request completed',
    );
    expect(records()).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
        level: 'info',
        service: 'gateway',
        event: 'request_completed',
        status: 200,
        duration_ms: 1.5,
        stream: false,
        msg: 'Request completed',
      },
    ]);
    expect(text().endsWith('}\n')).toBe(true);
  });

  it('stamps each line with the millisecond in which it was written', () => {
    const clock = jest.spyOn(Date, 'now');
    const { logger, records } = capture();
    for (const ms of [1_000, 1_000, 1_001, 999]) {
      clock.mockReturnValue(ms);
      logger.info({}, 'x');
    }
    clock.mockRestore();
    const second = '1970-01-01T00:00:0';
    expect(records()).toMatchObject(
      ['1.000Z', '1.000Z', '1.001Z', '0.999Z'].map((rest) => ({ time: second + rest })),
    );
  });

  it.each<[LogLevel, string[]]>([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ])('at level %s writes everything as important or more', (level, written) => {
    const { logger, records } = capture(level);
    for (const each of ['debug', 'info', 'warn', 'error'] as const) logger[each]({}, 'x');
    expect(records().map((record) => (record as { level: string }).level)).toEqual(written);
  });

  it('writes bigints as strings', () => {
    const { logger, records } = capture();
    logger.info({ amount_nano: 12_345_678_901_234_567_890n, count: 3n }, 'x');
    logger.child({ held_nano: -5n }).info({ amount_nano: '17' }, 'x');
    expect(records()).toMatchObject([
      { amount_nano: '12345678901234567890', count: '3' },
      { held_nano: '-5', amount_nano: '17' },
    ]);
  });

  it('adds the fields of a child to its own records, not to those of its parent', () => {
    const { logger, records } = capture();
    logger.child({ request_id: 'req_1' }).child({ attempt: 2 }).warn({ code: 'upstream_timeout' }, 'x');
    logger.info({}, 'x');
    expect(records()[0]).toMatchObject({ request_id: 'req_1', attempt: 2, code: 'upstream_timeout' });
    expect(records()[1]).not.toHaveProperty('request_id');
  });

  it('shows the cause of a public error', () => {
    const { logger, records } = capture();
    logger.error({ error: new ApiError('internal_error', { cause: new Error('relation is missing') }) }, 'x');
    expect(records()).toMatchObject([
      { error: { name: 'ApiError', message: 'internal_error', cause: { message: 'relation is missing' } } },
    ]);
  });

  it('rejects unknown fields at compile time as well', () => {
    const { logger, text } = capture();
    // @ts-expect-error: a prompt is not a log field
    logger.info({ prompt: 'canary' }, 'x');
    // @ts-expect-error: a model is a text
    logger.info({ model: { name: 'canary' } }, 'x');
    expect(text()).not.toContain('canary');
  });
});

describe('a sign-in link', () => {
  const path = '/auth/links/lt-abcdefgh';

  it.each(['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:8080'])('is written on %s', (base) => {
    const { logger, records } = capture();
    logger.info({ sign_in_link: base + path }, 'x');
    expect(records()).toMatchObject([{ sign_in_link: base + path }]);
  });

  it.each([
    'https://farebox.example',
    'https://127.0.0.1:8080',
    'http://10.0.0.1',
    'http://127.0.0.1.evil.example',
  ])('is not written on %s, in any field', (base) => {
    const { logger, text } = capture();
    logger.info({ sign_in_link: base + path, reason: base + path }, base + path);
    expect(text()).not.toContain('abcdefgh');
  });
});

describe('a value that must not be logged', () => {
  const CANARY = 'canary-4711';
  const secrets = {
    key: 'ak-canary4711canary4711canary4711ab',
    session: 'st-canary4711canary4711',
    bearer: `Bearer ${CANARY}`,
    upstreamKey: 'sk-canary-4711',
    url: `postgres://farebox:${CANARY}@db:5432/farebox`,
  };

  /** Bypasses the types, as careless code might. */
  const careless = (fields: Record<string, unknown>): LogFields => fields;

  const unknownFields = {
    headers: { authorization: secrets.bearer, cookie: `service_token=${secrets.session}` },
    cookies: [secrets.session],
    messages: [{ role: 'user', content: CANARY }],
    prompt: CANARY,
    body: { nested: { deep: [CANARY] } },
    req: { method: 'POST', headers: { cookie: CANARY }, socket: {} },
    err: new Error(CANARY),
    msg: CANARY,
    level: CANARY,
    time: CANARY,
    service: CANARY,
    toJSON: () => ({ leaked: CANARY }),
    constructor: CANARY,
    [`key-${CANARY}`]: 1,
  };
  const wrongKinds = {
    model: { prompt: CANARY },
    request_id: [CANARY],
    status: CANARY,
    stream: CANARY,
    amount_nano: CANARY,
    event: () => CANARY,
    reason: Symbol(CANARY),
  };
  const secretTexts = {
    model: secrets.key,
    route: `/v1/models?key=${secrets.key}`,
    request_id: secrets.session,
    reason: `refused ${secrets.upstreamKey} at ${secrets.url}`,
    code: secrets.bearer,
  };
  const failure = new Error(`cannot use ${secrets.key} with ${secrets.bearer}`, {
    cause: Object.assign(new Error(`connect ${secrets.url} as ${secrets.upstreamKey}`), {
      code: `E ${secrets.bearer}`,
      name: secrets.session,
      headers: { authorization: CANARY },
      cause: { prompt: CANARY },
    }),
  });

  const expectNoCanary = (text: string): void => {
    expect(text).not.toMatch(/canary/i);
    expect(text).not.toContain('4711');
  };

  it.each([
    ['fields that are not known', unknownFields],
    ['values of another kind', wrongKinds],
    ['secrets in texts', secretTexts],
    ['errors and their causes', { error: failure }],
    ['the error of a body that is not JSON', { error: jsonError(`{"prompt": "${CANARY}" ${CANARY}`) }],
  ])('%s', (_what, fields) => {
    const { logger, text, records } = capture('debug');
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      logger[level](careless(fields), 'Failed');
    logger.child(careless(fields)).info(careless(fields), 'Failed');
    expectNoCanary(text());
    expect(records()).toHaveLength(5);
    expect(records()).toMatchObject(Array.from({ length: 5 }, () => ({ service: 'gateway', msg: 'Failed' })));
  });

  it('the message itself', () => {
    const { logger, text } = capture();
    logger.error({}, `Failed with ${Object.values(secrets).join(' and ')} %s %o`);
    expectNoCanary(text());
  });

  it('line feeds in a message stay inside the record', () => {
    const { logger, text } = capture();
    logger.info({ reason: 'x\n{"level":"info","msg":"forged"}' }, 'a\r\nb');
    expect(text().trimEnd().split('\n')).toHaveLength(1);
  });
});

function jsonError(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

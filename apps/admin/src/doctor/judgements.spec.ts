import {
  checkClock,
  checkDurability,
  checkEncryption,
  checkOwnLogin,
  checkServiceLogin,
  judgePartitions,
  type Login,
} from './check-database';
import { judgeAccess, judgeAnswer, judgeRedis } from './check-services';

const statesOf = (findings: readonly { state: string }[]): string[] => findings.map(({ state }) => state);

it.each([
  [0, 'ok'],
  [-1_999, 'ok'],
  [2_000, 'warn'],
  [-59_999, 'warn'],
  [60_000, 'fail'],
  [-3_600_000, 'fail'],
])('a clock that is %s ms ahead: %s', (aheadMs, state) => {
  expect(checkClock('Redis', aheadMs).state).toBe(state);
});

describe('the durability of PostgreSQL', () => {
  const safe = { standby: false, fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

  it('is right if everything is on, or if commits also wait for replicas', () => {
    expect(statesOf(checkDurability(safe))).toEqual(['ok']);
    expect(statesOf(checkDurability({ ...safe, synchronous_commit: 'remote_apply' }))).toEqual(['ok']);
  });

  it.each(['fsync', 'synchronous_commit', 'full_page_writes'])('fails if %s is off', (name) => {
    const [finding] = checkDurability({ ...safe, [name]: 'off' });
    expect(finding).toMatchObject({ state: 'fail', remedy: `Set ${name} = on.` });
  });

  it('fails for a standby', () => {
    expect(statesOf(checkDurability({ ...safe, standby: true }))).toEqual(['fail']);
  });
});

describe('the connection to PostgreSQL', () => {
  it('may be encrypted, or stay within a private network', () => {
    expect(checkEncryption({ tls: 'TLSv1.3', isPrivate: false })).toMatchObject({
      ...{ state: 'ok', detail: 'It is encrypted: TLSv1.3.' },
    });
    expect(checkEncryption({ tls: null, isPrivate: true }).state).toBe('ok');
  });

  it('must not cross a public network in the clear', () => {
    expect(checkEncryption({ tls: null, isPrivate: false })).toMatchObject({
      ...{ state: 'warn', remedy: 'Add ?sslmode=verify-full to each URL of the database.' },
    });
  });
});

describe('logins', () => {
  const nobody: Login = {
    name: 'ada',
    isSuperuser: false,
    isOwner: false,
    groups: [],
    connectionLimit: 40,
  };
  const owner = { ...nobody, isOwner: true };
  const app = { ...nobody, groups: ['farebox_app'] as const };
  const worker = { ...nobody, groups: ['farebox_worker'] as const };
  const both = { ...nobody, groups: ['farebox_app', 'farebox_account', 'farebox_worker'] as const };

  it('of the admin command is the owner', () => {
    expect(statesOf([owner, { ...nobody, isSuperuser: true }, worker, nobody].map(checkOwnLogin))).toEqual([
      ...['ok', 'ok', 'warn', 'fail'],
    ]);
  });

  it.each([
    ['farebox_app', app, 'ok'],
    ['farebox_app', both, 'warn'],
    ['farebox_app', worker, 'fail'],
    ['farebox_worker', worker, 'ok'],
    ['farebox_worker', both, 'warn'],
    ['farebox_worker', app, 'fail'],
    ['farebox_account', worker, 'fail'],
    ['farebox_app', { ...app, connectionLimit: undefined }, 'warn'],
    ['farebox_app', nobody, 'fail'],
    ['farebox_app', owner, 'fail'],
    ['farebox_worker', { ...both, isSuperuser: true }, 'fail'],
  ] as const)('of a service in %s: %j is %s', (group, login, state) => {
    expect(checkServiceLogin('FAREBOX_GATEWAY_DATABASE_URL', group, login).state).toBe(state);
  });
});

it.each([
  ['noeviction', true, ['ok', 'ok']],
  ['noeviction', false, ['ok', 'warn']],
  ['allkeys-lru', true, ['fail', 'ok']],
  ['unknown', false, ['fail', 'warn']],
])(
  'a Redis with the policy %s that keeps an append-only file: %s',
  (memoryPolicy, keepsAppendOnlyFile, states) => {
    expect(
      statesOf(judgeRedis({ version: '7', memoryPolicy, keepsAppendOnlyFile, clockAheadMs: 0 })),
    ).toEqual(states);
  },
);

it.each([
  [false, 'rediss://redis.example.com', []],
  [false, 'redis://127.0.0.1:6379', []],
  [false, 'redis://redis:6379', []],
  [false, 'redis://redis.example.com:6379', ['encryption of Redis']],
  [false, 'redis://10.0.0.3:6379', ['encryption of Redis']],
  [false, 'redis+sentinel://127.0.0.1,sentinel-2,[::1]:26380/farebox', []],
  [false, 'redis+sentinel://127.0.0.1,10.0.0.3/farebox', ['encryption of Redis']],
  [false, 'rediss+sentinel://10.0.0.3/farebox', []],
  [true, 'redis://127.0.0.1:6379', ['password of Redis']],
  [true, 'redis://redis.example.com:6379', ['password of Redis', 'encryption of Redis']],
])('a Redis that accepts anybody: %s, at %s', (admitsAnybody, url, warnings) => {
  const findings = judgeAccess({ admitsAnybody, url });
  expect(findings.filter(({ state }) => state === 'warn').map(({ check }) => check)).toEqual(warnings);
});

it.each([
  [200, 'ok'],
  [401, 'fail'],
  [403, 'fail'],
  [404, 'warn'],
  [500, 'warn'],
])('an upstream that responds with %s: %s', (status, state) => {
  expect(judgeAnswer('upstream local', status, 'KEY').state).toBe(state);
});

it.each([
  ['months ahead', '2027-04-01', 0, 'ok'],
  ['days ahead', '2027-01-01', 0, 'warn'],
  ['months ahead, with rows beyond', '2027-04-01', 3, 'warn'],
])('partitions that reach %s', (_how, endAt, rowsBeyond, state) => {
  const finding = judgePartitions({ endAt: new Date(endAt), rowsBeyond }, Date.parse('2026-12-22'));
  expect(finding.state).toBe(state);
  expect(finding.detail).toContain(endAt);
});

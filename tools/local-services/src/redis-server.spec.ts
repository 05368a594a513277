import { locateRedis } from './redis-server';

type RedisMachine = Parameters<typeof locateRedis>[0];

function machine(
  parts: Partial<RedisMachine> & { programs?: string[]; installable?: boolean },
): RedisMachine {
  const programs = new Set(parts.programs);
  return {
    env: {},
    isRoot: true,
    say: () => undefined,
    find: (program) => (programs.has(program) ? `/usr/bin/${program}` : undefined),
    run: (_command, args) => {
      if (args.includes('install') && parts.installable) programs.add('redis-server');
      return parts.installable ?? false;
    },
    ...parts,
  };
}

it('takes REDIS_URL before anything else', () => {
  const source = locateRedis(machine({ env: { REDIS_URL: 'redis://r:1' }, programs: ['redis-server'] }));

  expect(source).toEqual({ kind: 'running', url: 'redis://r:1' });
});

it('takes redis-server from the PATH', () => {
  expect(locateRedis(machine({ programs: ['redis-server', 'apt-get'] }))).toEqual({
    kind: 'program',
    path: '/usr/bin/redis-server',
  });
});

it('installs it by apt, and says so, if root may', () => {
  const said: string[] = [];

  const source = locateRedis(
    machine({ programs: ['apt-get'], installable: true, say: (line) => said.push(line) }),
  );

  expect(source).toEqual({ kind: 'program', path: '/usr/bin/redis-server' });
  expect(said).toEqual([expect.stringContaining('Installing redis-server')]);
});

it('uses sudo without a password if the user is not root', () => {
  const ran: string[] = [];
  const programs = new Set(['apt-get']);
  const source = locateRedis(
    machine({
      isRoot: false,
      find: (program) => (programs.has(program) ? `/usr/bin/${program}` : undefined),
      run: (command, args) => {
        ran.push([command, ...args].join(' '));
        if (args.includes('install')) programs.add('redis-server');
        return true;
      },
    }),
  );

  expect(source.kind).toBe('program');
  expect(ran).toEqual([
    'sudo -n true',
    'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends redis-server',
  ]);
});

it.each([
  [['apt-get'], /sudo apt-get install -y redis-server/],
  [['brew'], /brew install redis/],
  [[], /sudo apt-get install -y redis-server/],
])('names the command to run where it cannot be had (%j)', (programs, expected) => {
  expect(() => locateRedis(machine({ programs }))).toThrow(expected);
});

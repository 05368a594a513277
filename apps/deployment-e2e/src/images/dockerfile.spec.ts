import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { execForm, lineageOf, readDockerfile, type Instruction } from './dockerfile';

const root = workspaceRoot();
const stages = readDockerfile();
/** The deployed images; the other stages are their building blocks. */
const IMAGES = ['gateway', 'account', 'worker', 'admin', 'migration', 'simulated-upstream'];
const SERVICES = ['gateway', 'account', 'worker', 'simulated-upstream'];
const all = [...stages.values()].flatMap(({ instructions }) => instructions);

const textsOf = (instructions: readonly Instruction[], wanted: string): string[] =>
  instructions.filter(({ keyword }) => keyword === wanted).map(({ text }) => text);

it('the linter finds nothing', () => {
  const linter = join(root, 'node_modules/dockerfile-utils/bin/dockerfile-utils');
  const args = [linter, 'lint', '--json', join(root, 'docker/Dockerfile')];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });

  expect({ stdout: stdout.trim(), stderr, status }).toEqual({ stdout: '[]', stderr: '', status: 0 });
});

it('every image has a stage, and each stage starts from another or from the one pinned Node', () => {
  expect([...stages.keys()]).toEqual(expect.arrayContaining(IMAGES));
  const images = [...stages.values()].map(({ base }) => base).filter((base) => !stages.has(base));

  const nodeVersion = readFileSync(join(root, '.nvmrc'), 'utf8').trim();
  expect(new Set(images).size).toBe(1);
  expect(images[0]).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim$/);
  const [, major, minor] = /^node:(\d+)\.(\d+)/.exec(images[0] ?? '') ?? [];
  expect(Number(major)).toBe(Number(nodeVersion.split('.')[0]));
  expect(Number(minor)).toBeGreaterThanOrEqual(Number(nodeVersion.split('.')[1] ?? 0));
});

it('only npm fetches anything, and only from the lock file', () => {
  expect(textsOf(all, 'ADD')).toEqual([]);
  const commands = textsOf(all, 'RUN').join('\n');
  expect(commands).toContain('npm ci --ignore-scripts');
  expect(commands).not.toMatch(/curl|wget|apt-get|npm (?:i|install)\b|npx/);
});

it('no secret is in an image', () => {
  const values = [...textsOf(all, 'ENV'), ...textsOf(all, 'ARG')].join('\n');
  expect(values).not.toMatch(/PEPPERS|ANSWER_KEYS|DATABASE_URL|PASSWORD|TOKEN|SECRET/);
});

it('the gateway has the same options as in the benches', () => {
  const gateway = lineageOf(stages, 'gateway');
  const [command] = textsOf(gateway, 'CMD');
  const [node, ...args] = execForm(command ?? '') ?? [];
  expect([node, args.pop()]).toEqual(['node', 'main.js']);
  const environment = textsOf(gateway, 'ENV').join('\n');

  const bench = readFileSync(join(root, 'benches/src/image-options.ts'), 'utf8');
  expect(args.sort()).toEqual(bench.match(/(?<=')--[a-z=-]+(?=')/g)?.sort());
  expect(bench).toContain('YOUNG_MIB_OF_IMAGE = 64;');
  expect(environment).toContain('NODE_OPTIONS=--max-semi-space-size=64');
  for (const [, name = '', value = ''] of bench.matchAll(/(MALLOC_\w+): '(\d+)'/g))
    expect(environment).toContain(`${name}=${value}`);
  expect(bench.match(/MALLOC_/g)).toHaveLength(2);
});

describe.each(IMAGES)('the image %s', (name) => {
  const instructions = lineageOf(stages, name);

  it('runs as a numeric user that is not root, without a shell', () => {
    expect(textsOf(instructions, 'USER')).toEqual(['65532:65532']);
    const [command] = [...textsOf(instructions, 'ENTRYPOINT'), ...textsOf(instructions, 'CMD')];
    const args = execForm(command ?? '')?.filter((arg) => !arg.startsWith('--'));
    expect(args).toEqual(['node', 'main.js']);
  });

  it('has labels that describe it', () => {
    const labels = textsOf(instructions, 'LABEL').join(' ');
    for (const label of ['title', 'description', 'version', 'revision', 'licenses'])
      expect(labels).toContain(`org.opencontainers.image.${label}=`);
    expect(labels).toContain(`org.opencontainers.image.title="farebox-${name}"`);
  });

  it('contains the results of the build, and no packages', () => {
    const [built, ...more] = textsOf(instructions, 'COPY').filter((text) => text.startsWith('--from=build'));
    expect(more).toEqual([]);
    const [, folder] = /^--from=build \/build\/(dist\/[a-z-]+)\/ \.\/$/.exec(built ?? '') ?? [];
    expect(folder).toBe(`dist/${name}`);
    expect(existsSync(join(root, folder ?? '', 'main.js'))).toBe(true);
    const run = textsOf(stages.get('build')?.instructions ?? [], 'RUN').join('\n');
    expect(run).toMatch(new RegExp(`tools/commands/main\\.mjs build[^&]* ${name}(?: |$)`, 'm'));
  });

  it('copies only files of the checkout', () => {
    const sources = textsOf(instructions, 'COPY')
      .filter((text) => !text.startsWith('--from'))
      .map((text) => text.split(' ')[0] ?? '');
    expect(sources).toContain('docker/health-check.cjs');
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  });

  it('has a health check if it is a server, and none if it ends by itself', () => {
    const check = textsOf(instructions, 'HEALTHCHECK').at(-1) ?? '';
    const command = execForm(check.replace(/^.* CMD /, ''));
    if (SERVICES.includes(name)) expect(command?.slice(0, 2)).toEqual(['node', 'health-check.cjs']);
    else expect(check).toBe('NONE');
  });
});

it('npm ci finds every project in the lock file', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string }>;
  };
  const folders = ['apps', 'libs', 'tools']
    .flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`))
    .concat('benches')
    .filter((folder) => existsSync(join(root, folder, 'package.json')));

  const linked = Object.values(packages).map(({ resolved }) => resolved);
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter((folder) => !(folder in packages && linked.includes(folder)))).toEqual([]);
});

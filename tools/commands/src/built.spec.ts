import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const commands = path.join(__dirname, '..');

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'farebox-commands-'));
  for (const folder of ['apps/one/src', 'libs/two/src', 'tools', 'benches', 'prisma', 'dist/one'])
    mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, 'apps/one/src/main.ts'), 'one');
  writeFileSync(path.join(root, 'libs/two/src/index.ts'), 'two');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

/** Runs a module of the commands in a separate process, unbundled and untranspiled. */
function call(module: string, body: string): { code: number | null; out: string } {
  const url = JSON.stringify(pathToFileURL(path.join(commands, module)).href);
  const program = `import(${url}).then(async (it) => { ${body} })`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  return { code: status, out: stdout + stderr };
}

/** How often a command builds. */
function builds(): number {
  const file = JSON.stringify(path.join(root, 'dist/one/main.js'));
  const { out } = call(
    'built.mjs',
    `let builds = 0;
     const build = async () => { builds++; require('node:fs').writeFileSync(${file}, 'built'); };
     await it.ensureBuilt(${JSON.stringify(root)}, ['one'], build);
     process.stdout.write(String(builds));`,
  );
  return Number(out);
}

describe('a command that needs a build', () => {
  it('builds the first time, and not again while nothing has changed', () => {
    expect([builds(), builds(), builds()]).toEqual([1, 0, 0]);
  });

  it('builds again after a source of its own, of a library or of none has changed, came or went', () => {
    builds();
    const library = path.join(root, 'libs/two/src/index.ts');
    for (const change of [
      () => writeFileSync(library, 'longer'),
      () => utimesSync(library, new Date(), new Date(Date.now() + 5_000)),
      () => writeFileSync(path.join(root, 'apps/one/src/new.ts'), ''),
      () => rmSync(path.join(root, 'apps/one/src/new.ts')),
      () => writeFileSync(path.join(root, 'package-lock.json'), '{}'),
    ]) {
      change();
      expect([builds(), builds()]).toEqual([1, 0]);
    }
  });

  it('builds again if what was built is gone or was overwritten', () => {
    builds();
    const bundle = path.join(root, 'dist/one/main.js');
    rmSync(bundle);
    expect(builds()).toBe(1);
    writeFileSync(bundle, "somebody else's");
    expect([builds(), builds()]).toEqual([1, 0]);
  });

  it('does not build for a test alone', () => {
    builds();
    writeFileSync(path.join(root, 'libs/two/src/index.spec.ts'), 'test');
    expect(builds()).toBe(0);
  });
});

describe('a bundle that runs in the process of its command', () => {
  const bundle = () => path.join(root, 'dist/one/main.js');
  const run = (...args: string[]) =>
    call('bundle.mjs', `it.runBundle(${JSON.stringify(bundle())}, ${JSON.stringify(args)})`);
  const kept = () => readdirSync(path.join(root, 'dist/.code'));

  it('has its arguments, its folder and its exit code, the first time and from what V8 has kept', () => {
    writeFileSync(path.join(root, 'dist/one/beside.js'), 'module.exports = "beside";');
    writeFileSync(
      bundle(),
      `const path = require('node:path');
       console.log(process.argv.slice(2).join(), require('./beside.js'), path.basename(__dirname));
       setTimeout(() => { process.exitCode = 7; });`,
    );
    expect(run('a', '--b')).toEqual({ code: 7, out: 'a,--b beside one\n' });
    expect(kept()).toHaveLength(1);
    expect(run('c')).toEqual({ code: 7, out: 'c beside one\n' });
  });

  it('has a navigator under every Node, by which a library detects its environment', () => {
    writeFileSync(bundle(), 'console.log(String(navigator.userAgent.startsWith("Node.js/")));');
    expect(run()).toEqual({ code: 0, out: 'true\n' });
  });

  it('uses the current bundle, and keeps no other one compiled', () => {
    writeFileSync(bundle(), 'console.log("old");');
    expect(run()).toEqual({ code: 0, out: 'old\n' });
    writeFileSync(bundle(), 'console.log("new");');
    utimesSync(bundle(), new Date(), new Date(Date.now() + 5_000));
    expect([run(), run()]).toEqual([
      { code: 0, out: 'new\n' },
      { code: 0, out: 'new\n' },
    ]);
    expect(kept()).toHaveLength(1);
  });
});

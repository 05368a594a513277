import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { parse } from 'yaml';
import { readDockerfile } from '../images/dockerfile';

const root = workspaceRoot();
const WORKFLOWS = path.join(root, '.github/workflows');
const files = readdirSync(WORKFLOWS).map((name) => path.join(WORKFLOWS, name));

interface Job {
  permissions?: Record<string, string>;
  env?: Record<string, string>;
  steps: { uses?: string; run?: string }[];
}
const read = (name: string) =>
  parse(readFileSync(path.join(WORKFLOWS, name), 'utf8')) as {
    permissions: Record<string, string>;
    jobs: Record<string, Job>;
  };
const release = read('release.yml');

const folder = mkdtempSync(path.join(tmpdir(), 'farebox-release-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What GitHub's own parser finds wrong with workflow files. */
function problemsOf(...workflows: string[]): unknown {
  const linter = path.join(folder, 'lint-workflow.mjs');
  const source = path.join(__dirname, 'lint-workflow.mjs');
  const require =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const bundle = [
    '--bundle',
    '--platform=node',
    '--format=esm',
    `--banner:js=${require}`,
    `--outfile=${linter}`,
  ];
  run(path.join(root, 'node_modules/.bin/esbuild'), [source, ...bundle, '--log-level=warning']);
  return JSON.parse(run(process.execPath, [linter, ...workflows]));
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

it('the parser of GitHub finds nothing wrong with a workflow', () => {
  expect(files.length).toBeGreaterThan(1);
  expect(problemsOf(...files)).toEqual([]);

  const wrong = path.join(folder, 'wrong.yml');
  writeFileSync(
    wrong,
    'on: push\njobs: { a: { runs-on: here, steps: [{ run: "echo ${{ githb.ref }}" }] } }\n',
  );
  expect(problemsOf(wrong)).toEqual([expect.stringContaining("Unrecognized named-value: 'githb'")]);
});

it('every action of a workflow is pinned to a commit', () => {
  const uses = files.flatMap((file) => readFileSync(file, 'utf8').match(/uses: .*/g) ?? []);
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.filter((line) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

it('a release builds exactly the images of the Dockerfile', () => {
  const images = [...readDockerfile().values()].filter(({ instructions }) =>
    instructions.some(({ text }) => text.includes('org.opencontainers.image.title=')),
  );
  expect(release.jobs['images']?.env?.['IMAGES']?.split(' ').sort()).toEqual(
    images.map(({ name }) => name).sort(),
  );
});

it('a job of a release has only the rights that it needs, and only one publishes to each place', () => {
  expect(release.permissions).toEqual({});
  const rights = Object.entries(release.jobs).map(([name, { permissions }]) => [name, permissions]);
  expect(Object.fromEntries(rights)).toEqual({
    check: { contents: 'read' },
    images: { contents: 'read', packages: 'write', 'id-token': 'write' },
    chart: { contents: 'read', packages: 'write', 'id-token': 'write' },
    client: { contents: 'read', 'id-token': 'write' },
    release: { contents: 'write' },
  });
});

it('each step of a release is valid Bash', () => {
  const steps = Object.values(release.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  expect(steps.length).toBeGreaterThan(8);
  const wrong = steps.map((script) => spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' }).stderr);
  expect(wrong.filter((text) => text !== '')).toEqual([]);
});

describe('the notes of a release', () => {
  const checkout = path.join(folder, 'checkout');

  /** A checkout of version 0.2.0 with these changes. */
  function notesFor(tag: string, changes: string, versionOfChart = '0.2.0') {
    for (const name of ['libs/client', 'docker/chart'])
      mkdirSync(path.join(checkout, name), { recursive: true });
    const write = (name: string, text: string) => {
      writeFileSync(path.join(checkout, name), text);
    };
    write('package.json', '{ "version": "0.2.0" }');
    write('libs/client/package.json', '{ "version": "0.2.0" }');
    write('docker/chart/Chart.yaml', `version: ${versionOfChart}\nappVersion: ${versionOfChart}\n`);
    write('CHANGELOG.md', changes);
    const script = path.join(root, '.ci/release-notes.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, tag], {
      cwd: checkout,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  const CHANGES =
    '# Changes\n\n## Unreleased\n\n## 0.2.0 - 2027-01-02\n\n### A\n\n- b\n\n## 0.1.0 - 2026-12-01\n\n- c\n';

  it('are the section of its version in the changelog', () => {
    expect(notesFor('v0.2.0', CHANGES)).toEqual({ status: 0, stdout: '### A\n\n- b\n', stderr: '' });
  });

  it('are refused for a tag that the checkout is not, and without a section', () => {
    const refusals = [
      notesFor('v0.3.0', CHANGES),
      notesFor('v0.2.0', CHANGES, '0.1.0'),
      notesFor('v0.2.0', '# Changes\n\n## Unreleased\n\n- b\n'),
      notesFor('v0.2', CHANGES),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([1, 1, 1, 1]);
    expect(refusals.map(({ stderr }) => stderr.trim())).toEqual([
      'package.json says 0.2.0, the tag 0.3.0.',
      'version of docker/chart/Chart.yaml says 0.1.0, the tag 0.2.0.',
      'CHANGELOG.md has no section "## 0.2.0".',
      'v0.2 is not a tag like v0.1.0.',
    ]);
  });
});

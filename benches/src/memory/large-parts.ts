import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const MIB = 1_048_576;

/** Something large that processes load, and its size. */
interface LargePart {
  name: string;
  /** The processes whose bundles have it. */
  processes: readonly string[];
  mib: number;
}

/** The processes of `npm start` that run a bundle. */
const BUNDLES = ['gateway', 'account', 'worker', 'edge', 'simulated-upstream'];
/** Packages that take half a MiB or more. */
const PACKAGES = [
  ...['zod', 'express', 'pg', 'ioredis', 'bullmq', 'undici', 'pino', 'prom-client', 'piscina', 'stripe'],
  ...['@prisma/client', 'pdfkit', 'nodemailer', '@bull-board/api', '@opentelemetry/sdk-trace'],
  '@opentelemetry/exporter-trace-otlp-http',
];
/** The part of a package that a bundle has, if it is not its main file. */
const ENTRIES: Readonly<Record<string, string>> = { '@prisma/client': '@prisma/client/runtime/client' };
const TOKEN_TABLES = ['o200k_base', 'cl100k_base'];

/** The texts of bundles, tables of tokenizers, and packages, measured one at a time. The largest first. */
export function measureLargeParts(root: string): LargePart[] {
  const dist = (...parts: string[]): string => path.join(root, 'dist', ...parts);
  const packagesOf = new Map(BUNDLES.map((name) => [name, packagesIn(dist(name, 'main.js.map'))]));
  const bundles = BUNDLES.map((name) => ({
    name: 'text of its bundle',
    processes: [name],
    mib: statSync(dist(name, 'main.js')).size / MIB,
  }));
  const tables = TOKEN_TABLES.map((name) => {
    const having = BUNDLES.filter((bundle) => existsSync(dist(bundle, `${name}.tokens`)));
    const mib = statSync(dist(having[0] ?? '', `${name}.tokens`)).size / MIB;
    return { name: `table of ${name}`, processes: having, mib };
  });
  const packages = PACKAGES.map((name) => ({
    name,
    processes: BUNDLES.filter((bundle) => packagesOf.get(bundle)?.has(name)),
    mib: mibOfPackage(root, name),
  }));
  return [...bundles, ...tables, ...packages]
    .filter(({ processes }) => processes.length > 0)
    .sort((a, b) => b.mib - a.mib);
}

/** The packages of npm in a bundle, by its source map. */
function packagesIn(mapFile: string): Set<string> {
  const { sources } = JSON.parse(readFileSync(mapFile, 'utf8')) as { sources: string[] };
  return new Set(sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []));
}

const LOAD = `
  const used = () => { gc(); gc(); const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };
  const before = used();
  globalThis.kept = require(process.argv[1]);
  console.log(used() - before);`;

/** The memory that a new process uses more once it has loaded a package, with everything that the package loads. */
function mibOfPackage(root: string, name: string): number {
  const args = ['--expose-gc', '-e', LOAD, ENTRIES[name] ?? name];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const bytes = Number(stdout);
  if (stdout === '' || Number.isNaN(bytes)) throw new Error(`${name} cannot be loaded: ${stderr}`);
  return bytes / MIB;
}

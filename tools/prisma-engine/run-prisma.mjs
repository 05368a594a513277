import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { prismaEnvironment } from './prisma-environment.mjs';

const require = createRequire(import.meta.url);

/** Runs the Prisma CLI on the WebAssembly schema engine of npm, and resolves to its exit code. */
export function runPrisma(args) {
  const child = spawn(process.execPath, [require.resolve('prisma/build/index.js'), ...args], {
    stdio: 'inherit',
    env: prismaEnvironment(process.env),
  });
  // A terminal sends Ctrl-C to the CLI too: it decides how to end, and this process ends after it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

// `npm run prisma -- <args>`: the Prisma CLI on the WebAssembly schema engine of npm, so that nothing is downloaded.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { prismaEnvironment } from './prisma-environment.mjs';

const require = createRequire(import.meta.url);

const child = spawn(process.execPath, [require.resolve('prisma/build/index.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: prismaEnvironment(process.env),
});
// A terminal sends Ctrl-C to the CLI too: it decides how to end, and this process ends after it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
});

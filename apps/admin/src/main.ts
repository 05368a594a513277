import { runAdmin } from './program';

async function main(): Promise<void> {
  process.exitCode = await runAdmin(process.argv.slice(2), {
    environment: process.env,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
}

void main();

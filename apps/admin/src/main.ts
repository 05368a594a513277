import { userInfo } from 'node:os';
import { runAdmin } from './program';

async function main(): Promise<void> {
  process.exitCode = await runAdmin(process.argv.slice(2), {
    environment: process.env,
    userName,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

void main();

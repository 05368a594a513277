import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { readCalledAs } from './called-as';
import { runAdmin } from './program';

async function main(): Promise<void> {
  process.exitCode = await runAdmin(process.argv.slice(2), {
    environment: process.env,
    userName,
    calledAs: readCalledAs(process.env),
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
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

/** On stderr, so that stdout has only the command's report. End of input is an empty answer. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) =>
    lines.once('close', () => {
      resolve('');
    }),
  );
  try {
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}

// The reader may close the pipe early: the command still completes its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

void main();

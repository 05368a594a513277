// The first step of `npm start`, `npm test` and `npm run admin`: whatever they need that is not there yet.
import { generatePrismaClient } from './set-up/prisma-client.mjs';
import { installPackages } from './set-up/npm-install.mjs';
import { SetUpError } from './set-up/run-command.mjs';

/** Installs the packages and generates the Prisma client; does nothing where both are up to date. */
export async function ensureInstalled(say) {
  await installPackages(say);
  await generatePrismaClient(say);
}

/** Runs a command of tools/; a set-up step that fails ends it with its own message and exit code 1. */
export async function runCommandOfTools(command) {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

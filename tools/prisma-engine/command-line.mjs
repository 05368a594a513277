// The engine's `cli` subcommands.
import { createDatabase, ensureConnectionValidity } from './database-commands.mjs';

const commands = {
  'can-connect-to-database': ensureConnectionValidity,
  'create-database': createDatabase,
};

/** Runs one subcommand; resolves to the exit code. */
export async function runCommand(name, url) {
  try {
    const command = commands[name];
    if (!command) throw new Error(`unsupported: ${name}`);
    await command(url);
    return 0;
  } catch (error) {
    console.error('{}'); // the Prisma CLI drops the first line of stderr
    console.error(JSON.stringify(toLogLine(error)));
    return 1;
  }
}

function toLogLine(error) {
  return {
    level: 'ERROR',
    fields: { is_panic: false, message: error.message, error_code: error.code ?? 'P1001', meta: {} },
    target: 'schema_engine::logger',
  };
}

// The environment in which the Prisma CLI, and its postinstall, download nothing and report nothing.
import { accessSync, chmodSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const engine = fileURLToPath(new URL('./schema-engine.mjs', import.meta.url));

/**
 * `base` with the schema engine, telemetry and update check set for the Prisma CLI.
 * Node's own folder goes first on the PATH, because the engine is started through `#!/usr/bin/env node`.
 */
export function prismaEnvironment(base) {
  ensureExecutable(engine);
  return {
    ...base,
    PATH: [path.dirname(process.execPath), base.PATH ?? ''].join(path.delimiter),
    PRISMA_SCHEMA_ENGINE_BINARY: engine,
    // The CLI reads the engine's standard error, and does not understand Node's warnings there.
    NODE_NO_WARNINGS: '1',
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    // The CLI takes every line that the engine writes to standard error for JSON; a warning of Node's is none.
    NODE_NO_WARNINGS: '1',
  };
}

/** A checkout from an archive may have lost the mode that git keeps. */
function ensureExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    chmodSync(file, 0o755);
  }
}

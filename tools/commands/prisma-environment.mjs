// @ts-check
import { accessSync, chmodSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const engine = fileURLToPath(new URL('./prisma-engine/schema-engine.mjs', import.meta.url));

/**
 * `base` with the schema engine, telemetry and update check set for the Prisma CLI, so that neither it nor its
 * postinstall downloads or reports anything.
 * Node's own folder goes first on the PATH, because the engine is started through `#!/usr/bin/env node`.
 * @param {NodeJS.ProcessEnv} base
 * @returns {NodeJS.ProcessEnv}
 */
export function prismaEnvironment(base) {
  ensureExecutable(engine);
  return {
    ...base,
    PATH: [path.dirname(process.execPath), base['PATH'] ?? ''].join(path.delimiter),
    PRISMA_SCHEMA_ENGINE_BINARY: engine,
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    // The CLI takes every line that the engine writes to standard error for JSON; a warning of Node's is none.
    NODE_NO_WARNINGS: '1',
  };
}

/**
 * A checkout from an archive may have lost the mode that git keeps.
 * @param {string} file
 */
function ensureExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    chmodSync(file, 0o755);
  }
}

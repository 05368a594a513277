/**
 * `base` with the schema engine, telemetry and update check set for the Prisma CLI.
 * Node's own folder goes first on the PATH, because the engine is started through `#!/usr/bin/env node`.
 * @param {NodeJS.ProcessEnv} base
 * @returns {NodeJS.ProcessEnv}
 */
export function prismaEnvironment(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv;

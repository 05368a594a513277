import { existsSync, writeFileSync } from 'node:fs';
import { runScript } from './run-command.mjs';
import { digestOf, inRoot, readStamp, root } from './workspace.mjs';

const stampFile = inRoot('node_modules/.farebox-prisma-client');
const client = inRoot('libs/database/src/generated/client.ts');

/** Generates the Prisma client where it is absent or was made from another schema or by another version. */
export async function generatePrismaClient(say) {
  const digest = digestOf(inRoot('prisma/schema.prisma'), inRoot('node_modules/prisma/package.json'));
  if (existsSync(client) && readStamp(stampFile) === digest) return;
  say('Generating the Prisma client');
  await runScript('prisma generate', inRoot('tools/prisma-engine/prisma.mjs'), ['generate'], { cwd: root });
  writeFileSync(stampFile, digest);
}

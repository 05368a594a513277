// `npm run prisma -- <args>`: the Prisma CLI on the WebAssembly schema engine of npm, so that nothing is downloaded.
import { runPrisma } from './run-prisma.mjs';

process.exitCode = await runPrisma(process.argv.slice(2));

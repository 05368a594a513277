import { runCommand } from './command';

const { out, exitCode } = await runCommand(process.argv.slice(2));
process.stdout.write(`${out}\n`);
process.exitCode = exitCode;

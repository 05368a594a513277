/** A bench by its name, which is the first argument: see the commands in tools/commands. */
import { runGatewayBench } from './gateway/gateway';
import { runWiresBench } from './gateway/wires';
import { runLedgerBench } from './ledger/ledger';
import { runMemoryBench } from './memory/memory';
import { runNeighboursBench } from './neighbours/neighbours';
import { runOperatorBench } from './operator/operator';
import { runStreamsBench } from './streams/streams';

const BENCHES = new Map<string, (args: string[]) => Promise<void>>([
  ['gateway', runGatewayBench],
  ['ledger', runLedgerBench],
  ['memory', runMemoryBench],
  ['neighbours', runNeighboursBench],
  ['operator', runOperatorBench],
  ['streams', runStreamsBench],
  ['wires', runWiresBench],
]);

async function main([name = '', ...args]: string[]): Promise<void> {
  const run = BENCHES.get(name);
  if (!run) throw new Error(`there is none called "${name}"`);
  await run(args);
}

const args = process.argv.slice(2);
main(args).catch((error: unknown) => {
  process.stderr.write(`bench ${args[0] ?? ''}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

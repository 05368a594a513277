/** A bench by its name, which is the first argument: see the commands in tools/commands. */
import { runGatewayBench } from './gateway/gateway';
import { runNodeVersionsBench } from './gateway/node-versions';
import { runWiresBench } from './gateway/wires';
import { runCapacityBench } from './capacity/capacity';
import { runLedgerBench } from './ledger/ledger';
import { runNeighboursBench } from './neighbours/neighbours';
import { runSlowDiskBench } from './slow-disk/slow-disk';
import { runStreamsBench } from './streams/streams';
import { runUsageBench } from './usage/usage';

const BENCHES = new Map<string, (args: string[]) => Promise<void>>([
  ['capacity', runCapacityBench],
  ['gateway', runGatewayBench],
  ['ledger', runLedgerBench],
  ['neighbours', runNeighboursBench],
  ['node-versions', runNodeVersionsBench],
  ['slow-disk', runSlowDiskBench],
  ['streams', runStreamsBench],
  ['usage', runUsageBench],
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

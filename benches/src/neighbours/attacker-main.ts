/** One attacker, in a process of its own: `attacker <name> <setting as JSON>`. Ends by itself. */
import { existsSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { Attacker, type AttackerSetting } from './attacker';
import { ATTACKS } from './attacks';

const LONGEST_OVER_MS = 120_000;
const AUTOGROUP = '/proc/self/autogroup';

async function main([name, setting = '{}']: string[]): Promise<void> {
  // Attackers have machines of their own: the cost of their own work on this one must not be measured.
  setPriority(constants.priority.PRIORITY_LOW);
  // Where Linux groups processes by session, a priority counts only within the group, and this process has its own.
  if (existsSync(AUTOGROUP)) writeFileSync(AUTOGROUP, String(constants.priority.PRIORITY_LOW));
  const attack = ATTACKS.find((one) => one.name === name);
  if (!attack) throw new Error(`no attacker is called ${String(name)}`);
  const attacker = new Attacker(JSON.parse(setting) as AttackerSetting);
  say({ event: 'ready' });
  // A bound for waiting for a response that never comes. At its low priority, a busy machine delays it by a minute.
  const over = setTimeout(() => process.exit(1), attacker.setting.durationMs + LONGEST_OVER_MS);
  await attack.run(attacker);
  await attacker.end();
  clearTimeout(over);
  say({ event: 'done', answers: attacker.answers });
  process.exit(0);
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(
    `attacker: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
});

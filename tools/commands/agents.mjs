// The packages for `npm run agents`: the command-line agents from npm, in a separate folder.
// @ts-check
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npmScript } from './install.mjs';
import { runToEnd } from './processes.mjs';
import { inRoot } from './workspace.mjs';

/** Versions that are known to work. They need no account: each is pointed at the service. */
const AGENTS = {
  '@anthropic-ai/claude-code': '2.1.332',
  '@openai/codex': '0.169.0',
  'opencode-ai': '1.18.33',
  '@qwen-code/qwen-code': '0.24.4',
  '@earendil-works/pi-coding-agent': '1.3.0',
  '@github/copilot': '1.0.102',
  // Runs most of them: they require a newer Node than a checkout may have.
  node: '24.21.0',
};

/** Almost two gigabytes, so it is kept: another run installs only changed versions. */
const FOLDER = inRoot('.farebox/agents');

/** @param {(line: string) => void} say */
export async function installAgents(say) {
  const missing = Object.entries(AGENTS).filter(([name, version]) => versionOf(name) !== version);
  if (missing.length === 0) return;
  say(`Installing ${missing.map(([name]) => name).join(', ')} (almost two gigabytes, once)`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: AGENTS }));
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  await runToEnd('npm install', npmScript(), args, { shown: true, cwd: FOLDER });
}

/** @param {string} name */
function versionOf(name) {
  const file = path.join(FOLDER, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { workspaceRoot } from '@farebox/local-services';
import { startCustomers, type Customers } from './customers';
import { deploy, openDeployment, type Deployment } from './deployment';
import { FAULTS, plannedOperations, type Operation } from './operations';
import type { GuideOptions } from './options';
import { restoreToAMoment } from './restore';
import { tallyOf, toText, type Tally } from './tally';

export interface GuideReport {
  /** Lines of Markdown: what customers noticed of each operation and fault. */
  table: string[];
  /** Everything that is wrong, a sentence each. */
  findings: string[];
}

/** Some failures show a little later. */
const AFTERWARDS_MS = 5_000;
/** Ten seconds, at the pace of the simulated upstream. */
const STREAM_TOKENS = 500;

/** Follows the guide in a checkout of the last commit. Throws if one of its commands fails. */
export async function runGuide(
  options: GuideOptions,
  say: (line: string) => void,
  interrupt: AbortSignal,
): Promise<GuideReport> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'farebox-guide-'));
  const deployment = openDeployment(workspaceRoot(), folder, (text) => {
    if (options.isVerbose) process.stderr.write(text);
  });
  try {
    say('First deployment, and TLS.');
    await deploy(deployment, folder);
    return await underLoad(deployment, options, say, interrupt);
  } finally {
    if (!options.keeps) await deployment.remove();
    if (!options.keeps && options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function underLoad(
  deployment: Deployment,
  { only }: GuideOptions,
  say: (line: string) => void,
  interrupt: AbortSignal,
): Promise<GuideReport> {
  const { guide, shell } = deployment;
  const customer = await givenCustomer(deployment);
  await payThroughTls(deployment, customer.apiKey);
  const table = ['| operation or fault | requests | failed | late | s |', '| - | - | - | - | - |'];
  const findings: string[] = [];
  const customers = startCustomers({
    url: deployment.url,
    ...customer,
    models: { quick: 'farebox-small', long: 'farebox-paced' },
    streamTokens: STREAM_TOKENS,
  });
  try {
    for (const operation of [...plannedOperations(guide), ...FAULTS]) {
      if (interrupt.aborted) break;
      if (!operation.name.includes(only)) continue;
      say(operation.name);
      const { tally, seconds } = await observe(deployment, customers, operation);
      table.push(rowOf(operation.name, tally, seconds));
      if (operation.costs === 'nothing' && tally.failures.size > 0)
        findings.push(`${operation.name}: ${toText(tally)}`);
    }
  } finally {
    await customers.stop();
  }
  await shell.run('admin ledger verify');
  const answered = customers.ended.filter(
    ({ kind, outcome }) => kind !== 'balance' && outcome === 'answered',
  );
  const charged = await countOfCharges(deployment);
  say(`${String(answered.length)} answers, ${String(charged)} charges; the books are right.`);
  if (charged < answered.length) findings.push('Answers were not charged.');
  if ('restore'.includes(only)) {
    say('Restore to a moment.');
    findings.push(...(await restoreToAMoment(deployment)));
  }
  return { table, findings };
}

async function observe(deployment: Deployment, customers: Customers, { commands, override }: Operation) {
  const { shell } = deployment;
  if (override !== undefined) deployment.addOverride(override);
  const [from, begun] = [customers.ended.length, performance.now()];
  await shell.run(commands);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  await delay(AFTERWARDS_MS);
  return { tally: tallyOf(customers.ended.slice(from)), seconds };
}

function rowOf(name: string, tally: Tally, seconds: number): string {
  return `| ${[name, tally.requests, toText(tally), tally.slow, seconds].map(String).join(' | ')} |`;
}

async function givenCustomer({ shell, url }: Deployment): Promise<{ apiKey: string; sessionToken: string }> {
  const admin = async (command: string): Promise<Record<string, unknown>> =>
    JSON.parse(await shell.run(`admin ${command} --json`)) as Record<string, unknown>;
  const account = String((await admin('account create --email load@example.com --name Load'))['account_id']);
  await admin(`account activate ${account}`);
  await admin(`account fund ${account} --amount 1000.00 --reference guide-test --yes`);
  await admin(`account caps ${account} --daily-requests 1000000 --daily-spend 1000`);
  const sessionToken = String((await admin(`session create ${account}`))['session_token']);
  const response = await fetch(`${url}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sessionToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'load' }),
  });
  const { key } = (await response.json()) as { key?: string };
  if (key === undefined) throw new Error(`No API key could be made: status ${String(response.status)}.`);
  return { apiKey: key, sessionToken };
}

/** The certificate has signed itself. */
async function payThroughTls({ shell, tlsUrl }: Deployment, apiKey: string): Promise<void> {
  const body = JSON.stringify({ model: 'farebox-small', messages: [{ role: 'user', content: 'Hello' }] });
  const answer = await shell.run(
    `curl --silent --show-error --fail --insecure --header 'authorization: Bearer ${apiKey}' \\
      --header 'content-type: application/json' --data '${body}' ${tlsUrl}/v1/chat/completions`,
  );
  if (!answer.includes('"cost":"0.')) throw new Error(`A completion through TLS was not charged: ${answer}`);
}

async function countOfCharges({ shell }: Deployment): Promise<number> {
  const sql = "SELECT count(*) FROM usage_record WHERE outcome = 'completed'";
  const psql = 'docker compose exec -T postgres psql --username farebox_owner --tuples-only farebox';
  return Number(await shell.run(`${psql} --command "${sql}"`));
}

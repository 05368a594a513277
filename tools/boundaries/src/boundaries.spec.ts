import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const MODULE_BOUNDARIES = '@nx/enforce-module-boundaries';
const RESTRICTED_IMPORTS = 'no-restricted-imports';
const MONEY_IS_NO_FLOAT = 'no-restricted-syntax';

/** What must fail, by which rule; and what must pass, so that the rule is not one that refuses everything. */
const cases = [
  [
    'the kernel importing a domain',
    'libs/money/src/x.ts',
    `import { topUp } from '@farebox/ledger';\ntopUp;`,
    MODULE_BOUNDARIES,
  ],
  [
    'a domain importing another',
    'libs/ledger/src/x.ts',
    `import { costOf } from '@farebox/catalog';\ncostOf;`,
    MODULE_BOUNDARIES,
  ],
  [
    'a domain importing what speaks HTTP',
    'libs/ledger/src/x.ts',
    `import { sendJson } from '@farebox/http';\nsendJson;`,
    MODULE_BOUNDARIES,
  ],
  [
    'a domain importing Express',
    'libs/auth/src/x.ts',
    `import express from 'express';\nexpress;`,
    MODULE_BOUNDARIES,
  ],
  [
    'the kernel importing Express',
    'libs/errors/src/x.ts',
    `import express from 'express';\nexpress;`,
    MODULE_BOUNDARIES,
  ],
  [
    'a contract importing storage',
    'libs/contracts/src/x.ts',
    `import { createPool } from '@farebox/database';\ncreatePool;`,
    MODULE_BOUNDARIES,
  ],
  [
    'an app importing another app',
    'apps/gateway/src/x.ts',
    `import { x } from '@farebox/account';\nx;`,
    MODULE_BOUNDARIES,
  ],
  [
    'a library importing an app',
    'libs/http/src/x.ts',
    `import { x } from '@farebox/worker';\nx;`,
    MODULE_BOUNDARIES,
  ],
  [
    'an app importing test code',
    'apps/gateway/src/x.ts',
    `import { givenAccount } from '@farebox/testing';\ngivenAccount;`,
    MODULE_BOUNDARIES,
  ],
  [
    'a project reaching into another',
    'apps/gateway/src/x.ts',
    `import { Batcher } from '../../../libs/ledger/src/batching/batcher';\nBatcher;`,
    MODULE_BOUNDARIES,
  ],
  [
    'http/ building a pool',
    'apps/account/src/http/x.ts',
    `import { createPool } from '@farebox/database';\ncreatePool;`,
    RESTRICTED_IMPORTS,
  ],
  [
    'http/ asking PostgreSQL',
    'apps/gateway/src/http/x.ts',
    `import { Pool } from 'pg';\nPool;`,
    RESTRICTED_IMPORTS,
  ],
  [
    'money becoming a float',
    'libs/ledger/src/x.ts',
    `export const f = (amountNano: bigint) => Number(amountNano);`,
    MONEY_IS_NO_FLOAT,
  ],
  [
    'an app importing a domain',
    'apps/gateway/src/x.ts',
    `import { openGatewayLedger } from '@farebox/ledger';\nopenGatewayLedger;`,
    undefined,
  ],
  [
    'a domain importing the kernel',
    'libs/ledger/src/x.ts',
    `import { toNanoUsd } from '@farebox/money';\ntoNanoUsd;`,
    undefined,
  ],
  [
    'a test of a domain importing test code',
    'libs/ledger/src/x.spec.ts',
    `import { givenAccount } from '@farebox/testing';\ngivenAccount;`,
    undefined,
  ],
] as const;

interface Message {
  ruleId: string | null;
  message: string;
}

const IMPORT_RULES: readonly (string | null)[] = [MODULE_BOUNDARIES, RESTRICTED_IMPORTS, MONEY_IS_NO_FLOAT];
let found: Message[][] = [];

beforeAll(() => {
  const input = JSON.stringify(cases.map(([, file, text]) => ({ file, text })));
  const script = join(__dirname, '../lint-texts.mjs');
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
    input,
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false' },
  });
  if (status !== 0) throw new Error(stderr);
  found = JSON.parse(stdout) as Message[][];
}, 120_000);

it.each(
  cases.map(([what, , , rule], i) => [rule === undefined ? 'passes' : 'refuses', what, rule, i] as const),
)('lint %s %s', (_verdict, _what, rule, i) => {
  const rules = found[i]?.map((message) => message.ruleId).filter((id) => IMPORT_RULES.includes(id));
  expect(rules).toEqual(rule === undefined ? [] : [rule]);
});

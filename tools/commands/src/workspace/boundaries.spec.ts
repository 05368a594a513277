import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(__dirname, '../../../..');
const BOUNDARIES = '@nx/enforce-module-boundaries';

interface Case {
  what: string;
  file: string;
  text: string;
  dimension?: 'type' | 'scope';
  /** The rule that refuses it, and its message; undefined if no rule does. */
  refusal?: [string, RegExp];
}

const importing = (name: string): string => `import { x } from '${name}';\nexport const y = x;\n`;

const CASES: Case[] = [
  {
    what: 'a kernel library imports a domain library',
    file: 'libs/money/src/forbidden.ts',
    text: importing('@farebox/ledger'),
    refusal: [BOUNDARIES, /Circular dependency between "money" and "ledger"/],
  },
  {
    what: 'a kernel library imports a platform library',
    file: 'libs/auth/src/forbidden.ts',
    text: importing('@farebox/config'),
    refusal: [BOUNDARIES, /"type:kernel" can only depend on libs tagged with "type:kernel"$/],
  },
  {
    what: 'a domain library imports another one',
    file: 'libs/accounts/src/forbidden.ts',
    text: importing('@farebox/ledger'),
    refusal: [BOUNDARIES, /"type:domain" can only depend on libs tagged with "type:kernel", "type:storage"$/],
  },
  {
    what: 'an app imports another app',
    file: 'apps/gateway/src/forbidden.ts',
    text: importing('@farebox/account'),
    refusal: [BOUNDARIES, /"type:app" can only depend on libs tagged with/],
  },
  {
    what: "the traffic side imports the console's code",
    file: 'apps/gateway/src/forbidden.ts',
    text: importing('@farebox/account'),
    dimension: 'scope',
    refusal: [
      BOUNDARIES,
      /"scope:traffic" can only depend on libs tagged with "scope:traffic", "scope:every"$/,
    ],
  },
  {
    what: "everybody's code imports one side's",
    file: 'tools/commands/src/forbidden.ts',
    text: importing('@farebox/gateway'),
    dimension: 'scope',
    refusal: [BOUNDARIES, /"scope:every" can only depend on libs tagged with "scope:every"$/],
  },
  {
    what: 'the console imports what the public API does not show',
    file: 'apps/console/src/forbidden.ts',
    text: importing('@farebox/api'),
    refusal: [
      BOUNDARIES,
      /"type:console" can only depend on libs tagged with "type:client", "type:texts", "type:ui"$/,
    ],
  },
  {
    what: 'the console shows words that are not in the catalogue of texts',
    file: 'apps/console/src/forbidden.tsx',
    text: 'export const shown = <p>Not in the catalogue</p>;\n',
    refusal: ['no-restricted-syntax', /^Write t\('…'\)/],
  },
  {
    what: 'a field of the console has a label that is not in the catalogue of texts',
    file: 'apps/console/src/forbidden.tsx',
    text: 'export const field = <input aria-label="Message" />;\n',
    refusal: ['no-restricted-syntax', /^Write t\('…'\)/],
  },
  {
    what: 'the console imports the client of the public API',
    file: 'apps/console/src/allowed.ts',
    text: importing('@farebox/client'),
  },
  {
    what: 'a domain library imports the HTTP framework',
    file: 'libs/ledger/src/forbidden.ts',
    text: "import express from 'express';\nexport const app = express();\n",
    refusal: [BOUNDARIES, /"type:domain" is not allowed to import "express"/],
  },
  {
    what: 'the kernel imports the HTTP framework',
    file: 'libs/errors/src/forbidden.ts',
    text: "import express from 'express';\nexport const app = express();\n",
    refusal: [BOUNDARIES, /"type:kernel" is not allowed to import "express"/],
  },
  {
    what: 'a domain library imports what speaks HTTP',
    file: 'libs/ledger/src/forbidden.ts',
    text: importing('@farebox/http'),
    refusal: [BOUNDARIES, /"type:domain" can only depend on/],
  },
  {
    what: 'a contract imports storage',
    file: 'libs/api/src/forbidden.ts',
    text: importing('@farebox/database'),
    refusal: [
      BOUNDARIES,
      /"type:contract" can only depend on libs tagged with "type:kernel", "type:contract"$/,
    ],
  },
  {
    what: 'a library imports an app',
    file: 'libs/http/src/forbidden.ts',
    text: importing('@farebox/admin'),
    refusal: [BOUNDARIES, /"type:platform" can only depend on/],
  },
  {
    what: 'a library is imported by its path',
    file: 'libs/ledger/src/forbidden.ts',
    text: importing('../../money/src/index'),
    refusal: [BOUNDARIES, /cannot be imported by a relative or absolute path/],
  },
  {
    what: 'production code imports the test library',
    file: 'libs/ledger/src/forbidden.ts',
    text: importing('@farebox/testing'),
    refusal: [BOUNDARIES, /"type:domain" can only depend on/],
  },
  ...['@farebox/database', 'pg', 'ioredis', '@prisma/client'].map((name): Case => ({
    what: `a wire imports ${name}`,
    file: 'apps/gateway/src/wires/models/forbidden.ts',
    text: importing(name),
    refusal: ['no-restricted-imports', /What speaks HTTP never reaches storage/],
  })),
  {
    what: "http/ names a client's type",
    file: 'apps/account/src/http/forbidden.ts',
    text: "import type { Pool } from 'pg';\nexport type Client = Pool;\n",
    refusal: ['no-restricted-imports', /What speaks HTTP never reaches storage, nor names a client/],
  },
  ...[
    { what: 'the handle of the accounts', text: "import type { Accounts } from '@farebox/accounts';" },
    {
      what: 'the sources of use cases',
      text: "import type { Sources as Accounts } from '../use-cases/sources';",
    },
  ].map(({ what, text }): Case => ({
    what: `http/ names ${what}`,
    file: 'apps/account/src/http/forbidden.ts',
    text: `${text}\nexport type Client = Accounts;\n`,
    refusal: ['no-restricted-imports', /http\/ gets bound use cases, never their sources/],
  })),
  ...[
    { from: 'upstream', what: '../paid/hold' },
    { from: 'paid', what: '../chat/completion' },
    { from: 'chat', what: '../embeddings/create-embeddings' },
    { from: 'upstream/usage', what: '../../paid/terms' },
    { from: 'identity', what: '../compose' },
  ].map(({ from, what }): Case => ({
    what: `${from}/ of the gateway imports ${what}`,
    file: `apps/gateway/src/${from}/forbidden.ts`,
    text: importing(what),
    refusal: ['no-restricted-imports', /imports .* and nothing else of the gateway\.$/],
  })),
  {
    what: 'two files import each other',
    file: 'apps/gateway/src/upstream/answers.ts',
    text: importing('./stream-reader'),
    refusal: ['import-x/no-cycle', /Dependency cycle/],
  },
  {
    what: 'upstream/usage/ of the gateway imports ../answers',
    file: 'apps/gateway/src/upstream/usage/allowed.ts',
    text: importing('../answers'),
  },
  {
    what: 'chat/ of the gateway imports ../paid/terms',
    file: 'apps/gateway/src/chat/allowed.ts',
    text: importing('../paid/terms'),
  },
  {
    what: 'an app takes Prisma',
    file: 'apps/account/src/use-cases/forbidden.ts',
    text: "import type { PrismaClient } from '@farebox/database';\nexport type Client = PrismaClient;\n",
    refusal: ['no-restricted-imports', /Prisma lives in libs\/accounts/],
  },
  {
    what: 'a use case builds a client',
    file: 'apps/gateway/src/paid/forbidden.ts',
    text: "import { createPool } from '@farebox/database';\nexport const pool = createPool({ url: '' });\n",
    refusal: ['no-restricted-syntax', /Only compose\.ts builds clients/],
  },
  {
    what: 'an amount of money becomes a float',
    file: 'libs/ledger/src/forbidden.ts',
    text: 'export const toFloat = (amountNano: bigint): number => Number(amountNano);\n',
    refusal: ['no-restricted-syntax', /Money is a bigint/],
  },
  {
    what: 'compose.ts builds a client',
    file: 'apps/gateway/src/compose.ts',
    text: "import { createPool } from '@farebox/database';\nexport const pool = createPool({ url: '' });\n",
  },
  {
    what: 'a domain library imports a kernel library',
    file: 'libs/ledger/src/allowed.ts',
    text: importing('@farebox/money'),
  },
  {
    what: 'a use case imports a domain library',
    file: 'apps/gateway/src/paid/allowed.ts',
    text: importing('@farebox/ledger'),
  },
  {
    what: "a domain library's test imports the test library",
    file: 'libs/ledger/src/allowed.spec.ts',
    text: importing('@farebox/testing'),
  },
];

/** All cases in one process, because the start takes the time. */
function lint(cases: readonly Case[]): { rule: string; message: string }[][] {
  const answer = spawnSync(
    process.execPath,
    [path.join(root, 'tools/commands/src/workspace/lint-texts.mjs')],
    {
      cwd: root,
      input: JSON.stringify(cases),
      encoding: 'utf8',
      env: { ...process.env, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false' },
    },
  );
  if (answer.status !== 0) throw new Error(answer.stderr);
  return JSON.parse(answer.stdout.trim().split('\n').at(-1) ?? '') as ReturnType<typeof lint>;
}

let found: ReturnType<typeof lint>;

beforeAll(() => {
  found = lint(CASES);
});

it.each(CASES.map((one, index) => [one.refusal ? 'refuses' : 'allows', one.what, one, index] as const))(
  '%s: %s',
  (_verdict, _what, { refusal }, index) => {
    const messages = found[index] ?? [];

    expect(messages.map(({ rule }) => rule)).toEqual(refusal ? [refusal[0]] : []);
    if (refusal) expect(messages[0]?.message).toMatch(refusal[1]);
  },
);

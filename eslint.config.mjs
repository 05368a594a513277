import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** The allowed imports of each kind of project, by its `type:` tag. Anything else is forbidden. */
const typeConstraints = {
  kernel: ['kernel'],
  platform: ['kernel', 'platform', 'texts'],
  storage: ['kernel', 'platform'],
  contract: ['kernel', 'contract'],
  // For customers' programs: it knows only the API's document.
  client: [],
  // What people read, in every language: in the console's browser, and in the services.
  texts: [],
  domain: ['kernel', 'storage'],
  // Everything that an operator does, for the command line and the service.
  verbs: ['kernel', 'platform', 'storage', 'contract', 'domain'],
  app: ['kernel', 'platform', 'storage', 'contract', 'domain', 'verbs', 'texts'],
  // Shipped, and used by everything that needs its own database: so it may import the same as those.
  migration: ['kernel', 'platform', 'tool'],
  testing: ['kernel', 'platform', 'storage', 'contract', 'tool'],
  // The pictures of the console press its buttons by their texts.
  tool: ['kernel', 'platform', 'contract', 'tool', 'texts'],
  // What the consoles show, for a browser: the same rule as for them.
  ui: ['client', 'texts'],
  // Runs in the customer's browser: the public API's client and the texts, and nothing else of the service.
  console: ['client', 'texts', 'ui'],
  e2e: ['kernel', 'platform', 'storage', 'contract', 'client', 'domain', 'verbs', 'testing', 'tool', 'texts'],
};

/** Kinds whose tests may use real services and the simulated upstream. */
const TESTED_ON_REAL_SERVICES = ['domain', 'verbs', 'app', 'storage', 'platform', 'kernel'];

/** The owner of a project's code, by its `scope:` tag: no team imports another team's. */
const scopeConstraints = ['traffic', 'console', 'operations', 'every'].map((scope) => ({
  sourceTag: `scope:${scope}`,
  onlyDependOnLibsWithTags: [...new Set([`scope:${scope}`, 'scope:every'])],
}));

const boundaries = (inTests) => [
  'error',
  {
    allow: [],
    enforceBuildableLibDependency: false,
    // Catalogues and the font are loaded by need, and nothing else of the two.
    checkDynamicDependenciesExceptions: ['@farebox/texts', '@farebox/ui'],
    depConstraints: [
      ...Object.entries(typeConstraints).map(([type, allowed]) => ({
        sourceTag: `type:${type}`,
        onlyDependOnLibsWithTags: [
          ...allowed,
          ...(inTests && TESTED_ON_REAL_SERVICES.includes(type) ? ['testing', 'tool', 'client'] : []),
        ].map((kind) => `type:${kind}`),
        ...(['domain', 'kernel', 'contract'].includes(type) && {
          bannedExternalImports: ['express', 'helmet', 'bullmq', 'undici'],
        }),
      })),
      ...scopeConstraints,
    ],
  },
];

const MONEY_AS_NUMBER = [
  'Identifier[name=/(Nano|Pico|Usd)$/]',
  'MemberExpression[property.name=/(Nano|Pico|Usd)$/]',
].map((amount) => ({
  selector: `CallExpression[callee.name=/^(Number|parseFloat|parseInt)$/] > ${amount}`,
  message: 'Money is a bigint. It never becomes a float.',
}));

/** A text of the console has a translation: `t` looks it up. */
const TEXTS = [
  'JSXText[value=/[A-Za-z]{3}/]',
  'JSXAttribute[name.name=/^(title|label|aria-label|placeholder|description|note|lead|text|button)$/] > Literal[value=/^[A-Z][a-z]|[a-z] [a-z]/]',
  ':matches(JSXElement, JSXAttribute[name.name!="className"]) > JSXExpressionContainer > ConditionalExpression > Literal[value=/^[A-Z][a-z]|[a-z] [a-z]/]',
  'JSXExpressionContainer > TemplateLiteral > TemplateElement[value.raw=/^[A-Z][a-z]|[a-z] [a-z]/]',
].map((selector) => ({
  selector,
  message: "Write t('…'), and add the German text: see docs/design/languages.md.",
}));

const CLIENT_FACTORY = {
  selector:
    'CallExpression[callee.name=/^(createPool|createPrismaClient|createUpstreamClient|connectRedis)$/]',
  message: 'Only compose.ts builds clients: take this one as a parameter.',
};

/** V8 puts such a function into its old generation, where it holds all that it refers to until a full collection. */
const HELD = {
  selector:
    'AssignmentExpression[left.type="MemberExpression"] > :matches(ArrowFunctionExpression, FunctionExpression).right',
  message: 'Give this function a name of its own first. Why: docs/benchmarks/hot-path.md.',
};

const CLIENT_PACKAGES = ['pg', 'ioredis', 'bullmq', 'undici', '@prisma/*'];

const NO_STORAGE = {
  group: ['@farebox/database', ...CLIENT_PACKAGES],
  message: 'What speaks HTTP never reaches storage, nor names a client: go through a use case.',
};

const NO_SOURCES = {
  paths: [
    {
      name: '@farebox/accounts',
      importNames: ['Accounts', 'accountsWithin', 'openAccounts'],
      message: 'http/ gets bound use cases, never their sources.',
    },
  ],
  patterns: [
    { group: ['**/use-cases/sources'], message: 'http/ gets bound use cases, never their sources.' },
    NO_STORAGE,
  ],
};

const NO_PRISMA = {
  name: '@farebox/database',
  importNames: ['createPrismaClient', 'prismaWithin', 'Prisma', 'PrismaClient'],
  message: 'Prisma lives in libs/accounts: ask its verbs.',
};

/** The folders of the gateway, from the client's side to the upstream's, and the others that each may import. */
const GATEWAY_FOLDERS = {
  wires: ['chat', 'embeddings', 'quotes', 'paid', 'upstream', 'limiter', 'identity', 'tokens'],
  chat: ['paid', 'upstream', 'identity', 'tokens'],
  embeddings: ['paid', 'upstream', 'identity', 'tokens'],
  quotes: ['paid', 'identity'],
  paid: ['upstream', 'limiter', 'identity', 'tokens'],
  upstream: ['tokens'],
  limiter: [],
  identity: [],
  tokens: [],
};

/** Files outside of the folders are composition, except for these. */
const GATEWAY_GROUND = ['refusals', 'stop-switch'];

function onlyBelow(folder, depth) {
  const allowed = [
    ...GATEWAY_FOLDERS[folder].map((name) => `${name}/`),
    ...GATEWAY_GROUND.map((name) => `${name}$`),
  ];
  return {
    regex: `^(?:\\.\\./){${depth}}(?!${allowed.join('|')})`,
    message: `${folder}/ imports ${[...GATEWAY_FOLDERS[folder].map((name) => `${name}/`), ...GATEWAY_GROUND].join(', ')} and nothing else of the gateway.`,
  };
}

/** Projects whose code runs in a browser. */
const BROWSERS = ['libs/ui', 'apps/console', 'apps/operator-console', 'apps/console-e2e'];

/**
 * The source of type information for rules. Editors, and lint of one project, use a program per folder; linting all
 * of them that way would read the same libraries thirty times, which took most of the time.
 */
const TYPES = process.env['FAREBOX_LINT_ALL']
  ? { project: ['tsconfig.lint.json', ...BROWSERS.map((folder) => `${folder}/tsconfig.json`)] }
  : { projectService: { allowDefaultProject: ['prisma.config.ts'] } };

/** Globals of every script of this Node. */
const GLOBALS = Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly']));

export default tseslint.config(
  {
    ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', '.farebox/**', 'libs/*/src/generated/**'],
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked, prettier],
    plugins: { '@nx': nx, 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts', '.tsx'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.tsx', '.js'] })],
    },
    languageOptions: {
      parserOptions: { ...TYPES, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(false),
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: false, allowBoolean: false },
      ],
      // Of these two rules, noPropertyAccessFromIndexSignature is the one that shows undeclared properties.
      '@typescript-eslint/dot-notation': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...MONEY_AS_NUMBER],
    },
  },
  {
    files: ['{apps/console,apps/operator-console,libs/ui}/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat.recommended],
  },
  {
    files: ['{apps/console,libs/ui}/**/*.tsx'],
    rules: { 'no-restricted-syntax': ['error', ...MONEY_AS_NUMBER, ...TEXTS] },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    extends: [...tseslint.configs.recommended, prettier],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: { globals: { ...GLOBALS, __dirname: 'readonly' } },
    rules: {
      '@typescript-eslint/no-require-imports': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-undef': 'error',
    },
  },
  {
    files: ['**/*.{js,cjs}'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { module: 'writable', require: 'readonly' },
    },
  },
  {
    // Accounts, keys and devices have one home, together with the client that reads them.
    files: ['**/*.ts'],
    ignores: ['libs/accounts/**', 'libs/database/**'],
    rules: {
      'no-restricted-imports': ['error', { paths: [NO_PRISMA] }],
    },
  },
  {
    // One direction only: HTTP code reaches storage only through a use case.
    files: ['apps/account/src/http/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-imports': ['error', NO_SOURCES] },
  },
  ...Object.keys(GATEWAY_FOLDERS).flatMap((folder) =>
    [1, 2].map((depth) => ({
      files: [`apps/gateway/src/${folder}/${'*/'.repeat(depth - 1)}*.ts`],
      ignores: ['**/*.spec.ts'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            paths: [NO_PRISMA],
            patterns: [onlyBelow(folder, depth), ...(folder === 'wires' ? [NO_STORAGE] : [])],
          },
        ],
      },
    })),
  ),
  {
    files: ['libs/{api,catalog,flow,http,ledger,observability}/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...MONEY_AS_NUMBER, HELD] },
  },
  {
    files: ['apps/{gateway,account,worker}/src/**/*.ts'],
    ignores: ['**/compose.ts', '**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...MONEY_AS_NUMBER, HELD, CLIENT_FACTORY] },
  },
  {
    files: ['**/*.spec.ts', '{apps,libs}/*/test/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries(true),
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  { files: ['{tools,benches}/**/*.ts', 'apps/admin/**/*.ts'], rules: { 'no-console': 'off' } },
);

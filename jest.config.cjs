const { existsSync, readdirSync } = require('node:fs');
const path = require('node:path');

/** Each folder with a package.json is a Jest project, named after its folder. */
const folders = ['apps', 'libs', 'tools']
  .flatMap((kind) => readdirSync(path.join(__dirname, kind)).map((name) => path.join(kind, name)))
  .concat('benches')
  .filter((folder) => existsSync(path.join(__dirname, folder, 'package.json')));

const swc = (parser) => [
  '@swc/jest',
  { jsc: { parser, target: 'es2023' }, module: { type: 'commonjs' }, sourceMaps: 'inline' },
];

/** One configuration for every project: TypeScript through SWC, libraries from their sources. */
module.exports = {
  projects: folders.map((folder) => ({
    displayName: path.basename(folder),
    rootDir: path.join(__dirname, folder),
    testEnvironment: path.join(__dirname, 'jest.environment.cjs'),
    setupFiles: [path.join(__dirname, 'jest.setup.cjs')],
    testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
    moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
    transform: {
      '^.+\\.ts$': swc({ syntax: 'typescript' }),
      // Of modules, or with a dynamic import, which Jest can only load in a transformed file.
      '/node_modules/(?:@opentelemetry/otlp-exporter-base|httpxy|openid-client|oauth4webapi|jose)/.+\\.m?js$':
        swc({ syntax: 'ecmascript' }),
    },
    transformIgnorePatterns: [
      '/node_modules/(?!@opentelemetry/otlp-exporter-base/|httpxy/|openid-client/|oauth4webapi/|jose/)',
    ],
  })),
  reporters: [
    'default',
    './tools/commands/src/test-run/reporter.cjs',
    './tools/commands/src/test-run/end-reporter.cjs',
  ],
  // For tests that start and stop whole services on a busy machine; a test that hangs fails by it.
  testTimeout: 300_000,
};

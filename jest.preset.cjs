/** One Jest configuration for every project: TypeScript through SWC, libraries from their sources. */
module.exports = (projectName, overrides = {}) => ({
  displayName: projectName,
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  reporters: [
    'default',
    `${__dirname}/tools/commands/src/test-run/reporter.cjs`,
    `${__dirname}/tools/commands/src/test-run/end-reporter.cjs`,
  ],
  // For what comes to its end, though on a busy machine; what never does, fails by it.
  testTimeout: 120_000,
  ...overrides,
});

module.exports = require('../../jest.preset.cjs')('ledger', {
  testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
});

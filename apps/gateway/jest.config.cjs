module.exports = require('../../jest.preset.cjs')('gateway', {
  testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
});

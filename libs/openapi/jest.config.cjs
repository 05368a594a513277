module.exports = require('../../jest.preset.cjs')('openapi', {
  testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
});

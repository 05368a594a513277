module.exports = require('../../jest.preset.cjs')('api', {
  testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
});

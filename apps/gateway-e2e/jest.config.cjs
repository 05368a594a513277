/** Its tests start and stop whole services, several times each: a busy machine takes minutes. */
module.exports = require('../../jest.preset.cjs')('gateway-e2e', { testTimeout: 300_000 });

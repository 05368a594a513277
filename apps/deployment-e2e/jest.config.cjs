/** These tests start and stop whole services, several times each, which takes minutes on a busy machine. */
module.exports = require('../../jest.preset.cjs')('deployment-e2e', { testTimeout: 300_000 });

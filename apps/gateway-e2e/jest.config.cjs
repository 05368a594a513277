module.exports = require('../../jest.preset.cjs')('gateway-e2e');

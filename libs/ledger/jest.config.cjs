module.exports = require('../../jest.preset.cjs')('ledger');

module.exports = require('../../jest.preset.cjs')('account-e2e');

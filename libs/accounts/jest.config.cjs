module.exports = require('../../jest.preset.cjs')('accounts');

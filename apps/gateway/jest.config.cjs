module.exports = require('../../jest.preset.cjs')('gateway');

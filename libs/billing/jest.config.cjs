module.exports = require('../../jest.preset.cjs')('billing');

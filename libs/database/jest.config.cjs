module.exports = require('../../jest.preset.cjs')('database');

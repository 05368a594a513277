module.exports = require('../../jest.preset.cjs')('client');

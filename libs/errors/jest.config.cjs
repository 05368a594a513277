module.exports = require('../../jest.preset.cjs')('errors');

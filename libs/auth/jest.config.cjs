module.exports = require('../../jest.preset.cjs')('auth');

module.exports = require('../../jest.preset.cjs')('mail');

module.exports = require('../../jest.preset.cjs')('worker');

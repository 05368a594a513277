module.exports = require('../../jest.preset.cjs')('simulated-upstream');

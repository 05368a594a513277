module.exports = require('../../jest.preset.cjs')('jobs');

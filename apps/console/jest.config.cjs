module.exports = require('../../jest.preset.cjs')('console');

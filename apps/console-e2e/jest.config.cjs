module.exports = require('../../jest.preset.cjs')('console-e2e');

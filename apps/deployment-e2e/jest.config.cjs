module.exports = require('../../jest.preset.cjs')('deployment-e2e');

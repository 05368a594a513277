module.exports = require('../../jest.preset.cjs')('local-services');

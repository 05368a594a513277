module.exports = require('../../jest.preset.cjs')('openapi-check');

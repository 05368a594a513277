module.exports = require('../../jest.preset.cjs')('observability');

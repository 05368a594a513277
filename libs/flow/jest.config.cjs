module.exports = require('../../jest.preset.cjs')('flow');

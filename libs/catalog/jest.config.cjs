module.exports = require('../../jest.preset.cjs')('catalog');

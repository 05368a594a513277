module.exports = require('../../jest.preset.cjs')('money');

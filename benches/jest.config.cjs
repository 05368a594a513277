module.exports = require('../jest.preset.cjs')('benches');

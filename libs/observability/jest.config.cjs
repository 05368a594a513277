const swc = (parser) => ['@swc/jest', { jsc: { parser, target: 'es2023' }, module: { type: 'commonjs' } }];

module.exports = require('../../jest.preset.cjs')('observability', {
  transform: {
    '^.+\\.ts$': swc({ syntax: 'typescript' }),
    // It loads Node's http by a dynamic import, which Jest cannot do in what it has not transformed.
    '/node_modules/@opentelemetry/otlp-exporter-base/.+\\.js$': swc({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: ['/node_modules/(?!@opentelemetry/otlp-exporter-base/)'],
});

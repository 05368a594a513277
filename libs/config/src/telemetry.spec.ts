import {
  ConfigError,
  type Environment,
  loadConfig,
  type TelemetryConfig,
  toTelemetryConfig,
} from './settings';

const read = (environment: Environment): TelemetryConfig =>
  toTelemetryConfig(
    loadConfig('gateway', environment, [
      'FAREBOX_METRICS_PORT',
      'FAREBOX_METRICS_HOST',
      'FAREBOX_CONTINUE_TRACES',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
    ]).values,
  );

describe('metrics', () => {
  it('are not served without a port, and otherwise only on this machine', () => {
    expect(read({}).metrics).toBeUndefined();
    expect(read({ FAREBOX_METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 });
    expect(read({ FAREBOX_METRICS_PORT: '9464', FAREBOX_METRICS_HOST: '0.0.0.0' }).metrics?.host).toBe(
      '0.0.0.0',
    );
  });
});

describe('traces', () => {
  it('are not recorded without a collector', () => {
    expect(read({ OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBeUndefined();
  });

  it.each([
    ['http://collector:4318', 'http://collector:4318/v1/traces'],
    ['https://collector/otlp/', 'https://collector/otlp/v1/traces'],
  ])('%s is the base of all signals', (endpoint, tracesUrl) => {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).tracing).toEqual({
      tracesUrl,
      sampler: 'parentbased_always_on',
      ratio: 1,
      continuesTraces: false,
    });
  });

  it('prefer their own endpoint, used as it is, to that of all signals', () => {
    const tracesUrl = 'http://traces:4318/custom';
    const both = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesUrl,
    };
    expect(read(both).tracing?.tracesUrl).toBe(tracesUrl);
  });

  it.each(['0', '1', '1.0', '0.25', '.5'])('are sampled by %s', (ratio) => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: ratio,
    };
    expect(read(environment).tracing).toMatchObject({ sampler: 'traceidratio', ratio: Number(ratio) });
  });

  it.each([
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'ftp://collector'],
    ['FAREBOX_METRICS_PORT', '70000'],
  ])('%s is not %s', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(ConfigError);
  });
});

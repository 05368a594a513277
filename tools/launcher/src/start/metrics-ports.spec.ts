import { metricsEnvironment } from './metrics-ports';

it('the processes of one machine serve their metrics on ports of their own', () => {
  const own = { FAREBOX_METRICS_PORT: '9464' };
  const portOf = (service: string): string | undefined =>
    ({ ...own, ...metricsEnvironment(own, service) }).FAREBOX_METRICS_PORT;
  expect(['gateway', 'account', 'worker'].map(portOf)).toEqual(['9464', '9465', '9466']);
});

it.each([undefined, '', '0', 'x', '65535'])('%j is left as it is', (port) => {
  const own = port === undefined ? {} : { FAREBOX_METRICS_PORT: port };
  for (const service of ['gateway', 'account', 'worker', 'edge'])
    expect(metricsEnvironment(own, service)).toEqual({});
});

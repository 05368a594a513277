import { locatePrograms } from './programs';

const find = (program: string): string => `/bin/${program}`;

it('finds the programs of a cluster', () => {
  expect(locatePrograms({ find, exists: () => true }, '/pg')).toEqual({
    ...{ patroni: '/bin/patroni', etcd: '/bin/etcd', haproxy: '/bin/haproxy' },
    postgresFolder: '/pg',
  });
});

it('names every package that is missing, with the command that installs it', () => {
  const without = { find: (program: string) => (program === 'haproxy' ? '/bin/haproxy' : undefined) };
  expect(() => locatePrograms({ ...without, exists: () => true }, '/pg')).toThrow(
    /apt-get install .* patroni etcd-server", and then "sudo systemctl disable --now patroni etcd"/,
  );
});

it('names the programs that a PostgreSQL lacks', () => {
  const exists = (path: string): boolean => !path.endsWith('/pg_rewind');
  expect(() => locatePrograms({ find, exists }, '/pg')).toThrow(/^\/pg has no pg_rewind: .*--postgres/);
});

import { join } from 'node:path';
import { OptionsError } from '../command-line';

/** The paths of what a cluster is made of. */
export interface ClusterPrograms {
  patroni: string;
  etcd: string;
  haproxy: string;
  /** The folder of PostgreSQL's programs. */
  postgresFolder: string;
}

interface Machine {
  /** The path of a program on the PATH. */
  find: (program: string) => string | undefined;
  exists: (path: string) => boolean;
}

const PACKAGES = { patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy' } as const;
/** All that Patroni calls. */
const OF_POSTGRES = [
  'initdb',
  'postgres',
  'pg_ctl',
  'pg_isready',
  'pg_controldata',
  'pg_basebackup',
  'pg_rewind',
];

/** Throws `OptionsError`, which names everything that is missing. */
export function locatePrograms({ find, exists }: Machine, postgresFolder: string): ClusterPrograms {
  const missing: string[] = [];
  const locate = (program: keyof typeof PACKAGES): string => {
    const found = find(program);
    if (found === undefined) missing.push(PACKAGES[program]);
    return found ?? '';
  };
  const programs = { patroni: locate('patroni'), etcd: locate('etcd'), haproxy: locate('haproxy') };
  const lacking = OF_POSTGRES.filter((program) => !exists(join(postgresFolder, program)));
  const problems = [
    ...(missing.length === 0 ? [] : [hintFor(missing)]),
    ...(lacking.length === 0
      ? []
      : [
          `${postgresFolder} has no ${lacking.join(', ')}: name the bin folder of a complete PostgreSQL 18 with --postgres. ` +
            'The one of the tests, from npm, is not complete.',
        ]),
  ];
  if (problems.length > 0) throw new OptionsError(problems.join('\n'));
  return { ...programs, postgresFolder };
}

function hintFor(packages: string[]): string {
  const services = packages.map((name) => name.replace('-server', '')).join(' ');
  return (
    `Missing programs: run "sudo apt-get install -y --no-install-recommends ${packages.join(' ')}", and then ` +
    `"sudo systemctl disable --now ${services}", since the packages start services of their own.`
  );
}

import { commandsOf } from './guide';

/** Something that an operator does, or that happens, while customers use the service. */
export interface Operation {
  name: string;
  /** Commands for bash, in the folder of the compose file. */
  commands: string;
  /** The section of the guide whose file for Compose is in force from then on. */
  override?: string;
  /** Customers may notice nothing, a stop that the guide announces, or whatever a fault costs. */
  costs: 'nothing' | 'a stop' | 'a fault';
}

const BACKUP = 'Backup and restore';

/** Every planned operation of the guide, by its own commands. */
export function plannedOperations(guide: string): Operation[] {
  const commands = (heading: string, wanted: string): string => commandsOf(guide, heading, wanted);
  const rotations: [name: string, wanted: string][] = [
    ['peppers, answer keys and webhook keys', 'next FAREBOX_KEY_PEPPERS'],
    ["passwords of the services' logins", 'DROP ROLE'],
    ["owner's password", 'ALTER ROLE farebox_owner'],
    ["Redis' password", 'ACL SETUSER'],
    ['key that signs roots', 'renew FAREBOX_ROOT_SIGNING_KEY'],
  ];
  return [
    { name: 'upgrade', commands: commands('Upgrade', 'git pull'), costs: 'nothing' },
    {
      name: 'edges made again, one after the other',
      commands: ['edge-1', 'edge-2']
        .map((edge) => `docker compose up --detach --no-deps --wait --force-recreate ${edge}`)
        .join('\n'),
      costs: 'nothing',
    },
    {
      name: 'changed haproxy.cfg or certificate',
      commands: 'docker compose kill --signal USR2 edge-1 edge-2\nsleep 15',
      costs: 'nothing',
    },
    {
      name: 'migration with nothing to do, and catalogue',
      commands: 'docker compose run --rm migrate\nadmin catalog apply',
      costs: 'nothing',
    },
    ...rotations.map(([secret, wanted]) => ({
      name: `rotation: ${secret}`,
      commands: commands('Rotating secrets', wanted),
      costs: 'nothing' as const,
    })),
    {
      name: 'archive switched on',
      override: BACKUP,
      commands: commands(BACKUP, 'chown postgres: /archive'),
      costs: 'a stop',
    },
    { name: 'base backup', commands: commands(BACKUP, 'pg_basebackup'), costs: 'nothing' },
    { name: 'dump', commands: commands(BACKUP, 'pg_dumpall'), costs: 'nothing' },
  ];
}

const SECONDS = 20;

const frozen = (service: string): Operation => ({
  name: `${service} frozen for ${String(SECONDS)} s`,
  commands: `docker compose pause ${service}\nsleep ${String(SECONDS)}\ndocker compose unpause ${service}`,
  costs: 'a fault',
});

/** `docker kill` is a stop that the engine takes for wanted, so that the service is started again by hand. */
const killed = (service: string): Operation => ({
  name: `${service} killed`,
  commands: `docker compose kill ${service}\nroll ${service}`,
  costs: 'a fault',
});

export const FAULTS: readonly Operation[] = [
  ...['gateway-1', 'account-1', 'worker', 'edge-1', 'redis', 'postgres'].map(killed),
  ...['gateway-1', 'account-1', 'redis', 'postgres'].map(frozen),
];

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APPS, requiredVariables, schemasOf } from '@farebox/config';
import { workspaceRoot } from '@farebox/local-services';
import { parse } from 'yaml';
import { blocksOf, commandsOf } from '../guide/guide';
import { readDockerfile } from '../images/dockerfile';
import { stopSeconds } from '../stop-seconds';
import { networksOf, readComposeFile, type ComposeFile } from './compose-file';
import { generateSecrets } from './generated-secrets';

const root = workspaceRoot();
let secrets: Record<string, string>;
let compose: ComposeFile;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-compose-'));
  secrets = generateSecrets(folder);
  rmSync(folder, { recursive: true });
  compose = readComposeFile(secrets);
});

const service = (name: string) => {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
};
const own = () => Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
const running = () =>
  Object.entries(compose.services).filter(([, { profiles }]) => !profiles.includes('operator'));

const EDGES = ['edge-1', 'edge-2'];
const edgeConfig = () => readFileSync(join(root, 'docker/edge/haproxy.cfg'), 'utf8');

it('the compose file has two edges on one port, of which nothing that they share has to restart', () => {
  const { image, entrypoint, sysctls } = service('edge');
  expect([entrypoint, sysctls]).toEqual([['sleep', 'infinity'], { 'net.ipv4.tcp_migrate_req': 1 }]);
  const probes = EDGES.map((name) => {
    const edge = service(name);
    expect([edge.image, edge.network_mode, edge.read_only, edge.cap_drop, edge.security_opt]).toEqual([
      image,
      'service:edge',
      true,
      ['ALL'],
      ['no-new-privileges:true'],
    ]);
    const { FAREBOX_EDGE_PROBE_BIND: probe = '', ...environment } = edge.environment;
    expect(edge.healthcheck?.test.at(-1)).toBe(`http://${probe}/`);
    const used = [...edgeConfig().matchAll(/\$\{?(FAREBOX_EDGE_[A-Z0-9_]+)/g)].map(([, name]) => name);
    expect(Object.keys(environment).sort()).toEqual(
      [...new Set(used)].filter((name) => name !== 'FAREBOX_EDGE_PROBE_BIND').sort(),
    );
    expect(edge.ulimits?.nofile).toBeGreaterThan(2 * Number(environment['FAREBOX_EDGE_CONNECTIONS']) + 100);
    return probe;
  });
  expect(new Set(probes).size).toBe(EDGES.length);
});

it.each(['compose.yaml', 'services.compose.yaml'])('the linter finds nothing in %s', (file) => {
  const args = ['node_modules/dclint/bin/dclint.cjs', '-c', 'docker/dclint.yaml', `docker/${file}`];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });

  expect({ stdout: stdout.trim(), stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
});

it('the compose file starts everything that one machine needs, and the rest only on request', () => {
  const started = Object.entries(compose.services).filter(([, { profiles }]) => profiles.length === 0);
  expect(started.map(([name]) => name).sort()).toEqual(
    [
      'account-1',
      'account-2',
      'edge',
      'edge-1',
      'edge-2',
      'gateway-1',
      'gateway-2',
      'migrate',
      'operator',
      'postgres',
      'redis',
      'worker',
    ].sort(),
  );
});

it('the compose file requires every secret, and contains none', () => {
  for (const name of Object.keys(secrets))
    expect(() => readComposeFile({ ...secrets, [name]: '' })).toThrow(
      `${name}: run generate-secrets.mjs first`,
    );
  const text = readFileSync(join(root, 'docker/compose.yaml'), 'utf8');
  expect(text).not.toMatch(/PASSWORD: (?!\$\{)|:[^/\s$@]+@(?:postgres|redis):/);
});

// The edges of containers are HAProxy; Farebox's own serves `npm start`.
it.each(APPS.filter((app) => app !== 'edge'))(
  'gives the %s every variable that it needs, and no unused one',
  (app) => {
    const containers = own().filter(([, { build }]) => build?.target === app);
    expect(containers).not.toEqual([]);
    const schemas = schemasOf(app);
    for (const [name, { environment }] of containers) {
      // The catalogue chooses the variables for its upstreams' addresses and keys.
      const given = Object.entries(environment).filter(
        ([variable]) => !variable.startsWith('FAREBOX_SIMULATED_'),
      );
      expect([name, Object.keys(environment)]).toEqual([
        name,
        expect.arrayContaining(requiredVariables(app)),
      ]);
      for (const [variable, value] of given) {
        const isValid = value === '' || schemas[variable]?.safeParse(value).success;
        expect([name, variable, isValid]).toEqual([name, variable, true]);
      }
    }
  },
);

it('the compose file pins every image that it does not build, and names those that it builds', () => {
  const stages = readDockerfile();
  for (const [name, { image, build }] of Object.entries(compose.services)) {
    if (build === undefined)
      expect([name, image]).toEqual([name, expect.stringMatching(/^\w+:\d+\.\d+\S*$/)]);
    else {
      expect([name, stages.has(build.target)]).toEqual([name, true]);
      expect([build.context, build.dockerfile]).toEqual(['..', 'docker/Dockerfile']);
      expect(image).toBe(`farebox-${build.target}:local`);
    }
  }
});

it('the compose file gives its own containers no write access and no new privileges', () => {
  for (const [name, { init, read_only, privileged, cap_drop, security_opt, user }] of own())
    expect([name, init, read_only, privileged, cap_drop, security_opt, user]).toEqual([
      name,
      true,
      true,
      false,
      ['ALL'],
      ['no-new-privileges:true'],
      undefined,
    ]);
});

it('the compose file publishes only the edge and the operator service, and only on this machine', () => {
  const published = Object.entries(compose.services).filter(([, { ports }]) => ports.length > 0);
  expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
    ['edge', ['127.0.0.1:8080:8080']],
    ['operator', ['127.0.0.1:8083:8083']],
  ]);
});

it('the compose file keeps database and Redis in a network without internet access, which the edge is not in', () => {
  expect(compose.networks['data']?.internal).toBe(true);
  for (const name of ['postgres', 'redis']) expect(networksOf(service(name))).toEqual(['data']);
  expect(networksOf(service('edge'))).toEqual(['services']);
  for (const name of EDGES) expect(networksOf(service(name))).toEqual([]);
});

it('the compose file gives the admin command a way to upstreams, which it measures and examines', () => {
  expect(networksOf(service('admin'))).toEqual(['data', 'services']);
});

it('the compose file gives each service a login with its own rights, and the database owner to no service', () => {
  const users = Object.entries(compose.services).map(([name, { environment }]) => [
    name,
    environment['DATABASE_URL'] === undefined ? '' : new URL(environment['DATABASE_URL']).username,
  ]);
  expect(Object.fromEntries(users.filter(([, user]) => user !== ''))).toEqual({
    'account-1': 'farebox_account_service',
    'account-2': 'farebox_account_service',
    admin: 'farebox_owner',
    'gateway-1': 'farebox_gateway',
    'gateway-2': 'farebox_gateway',
    migrate: 'farebox_owner',
    operator: 'farebox_operator_service',
    worker: 'farebox_worker_service',
  });
});

it('the compose file starts nothing before the migration, and the edge only when all services are ready', () => {
  for (const name of ['gateway-1', 'gateway-2', 'account-1', 'account-2', 'worker', 'operator'])
    expect(service(name).depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
      postgres: { condition: 'service_healthy' },
    });
  expect(service('migrate').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  for (const name of EDGES) {
    const { edge, ...services } = service(name).depends_on;
    expect(edge).toEqual({ condition: 'service_started' });
    expect(Object.keys(services).sort()).toEqual(
      ['account-1', 'account-2', 'gateway-1', 'gateway-2', 'worker'].sort(),
    );
    for (const { condition } of Object.values(services)) expect(condition).toBe('service_healthy');
  }
});

it('the compose file restarts services that have ended, and keeps persistent data', () => {
  for (const [name, { restart }] of running())
    expect([name, restart]).toEqual([name, name === 'migrate' ? 'no' : 'unless-stopped']);
  expect(Object.keys(compose.volumes)).toEqual(['postgres', 'redis']);
  const command = service('redis').command?.join(' ');
  for (const setting of ['--appendonly yes', '--maxmemory-policy noeviction', '--requirepass '])
    expect(command).toContain(setting);
});

it('the compose file waits longer for a stop than the process itself does', () => {
  const seconds = (text: string | undefined) => Number(/^(\d+)s$/.exec(text ?? '')?.[1]);
  const grace = (name: string) => seconds(service(name).stop_grace_period);
  const gatewayDrain = seconds(service('gateway-1').environment['FAREBOX_DRAIN_TIMEOUT']);
  const edgeDrain = seconds(/hard-stop-after (\d+s)/.exec(edgeConfig())?.[1]);

  expect(grace('gateway-1')).toBeGreaterThan(gatewayDrain + stopSeconds('gateway'));
  for (const name of ['account-1', 'account-2']) expect(grace(name)).toBeGreaterThan(stopSeconds('account'));
  expect(grace('worker')).toBeGreaterThan(stopSeconds('worker'));
  for (const name of EDGES) expect(grace(name)).toBeGreaterThan(edgeDrain);
  expect(edgeDrain).toBeGreaterThanOrEqual(gatewayDrain + stopSeconds('gateway'));
});

it('the compose file makes the account service trust the edge, whose address no other container gets', () => {
  const address = service('edge').networks;
  expect(address).toEqual({ services: { ipv4_address: '172.30.83.10' } });
  for (const name of ['account-1', 'account-2'])
    expect(service(name).environment['FAREBOX_TRUSTED_PROXIES']).toBe('172.30.83.10');
  expect(compose.networks['services']?.ipam?.config).toEqual([
    { subnet: '172.30.83.0/24', ip_range: '172.30.83.128/25', gateway: '172.30.83.1' },
  ]);

  const behindProxy = readComposeFile({ ...secrets, FAREBOX_EDGE_TRUSTED_PROXIES: '172.30.83.1' });
  expect(behindProxy.services['account-1']?.environment['FAREBOX_TRUSTED_PROXIES']).toBe(
    '172.30.83.10,172.30.83.1',
  );
  for (const name of EDGES)
    expect(behindProxy.services[name]?.environment['FAREBOX_EDGE_TRUSTED_PROXIES']).toBe('172.30.83.1');
});

it('the compose file tags and labels the images that it builds with their version', () => {
  const { services } = readComposeFile({ ...secrets, FAREBOX_VERSION: '0.2.0' });
  const built = Object.values(services).filter(({ build }) => build !== undefined);
  expect(built.length).toBeGreaterThan(5);
  for (const { build, image } of built)
    expect([image, build?.args]).toEqual([
      `farebox-${String(build?.target)}:0.2.0`,
      { FAREBOX_VERSION: '0.2.0' },
    ]);
});

it('the build of the images is given no documents, so that a change of one installs nothing again', () => {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  expect(lines).toEqual(expect.arrayContaining(['*.md', 'docs']));
});

it('the compose file keeps its secrets out of git and out of the images', () => {
  const ignored = spawnSync('git', ['check-ignore', '--no-index', 'docker/.env', 'docker/gateway.env'], {
    cwd: root,
    encoding: 'utf8',
  });
  // Skipped in a checkout without git, such as an archive.
  if (existsSync(join(root, '.git'))) expect(ignored.stdout.trim().split('\n')).toHaveLength(2);
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  for (const pattern of ['**/.env', 'docker/*.env', '.git', '**/node_modules', '.farebox'])
    expect(lines).toContain(pattern);
});

it('the compose file has a guide whose steps leave nothing old running, and never stop both gateways at once', () => {
  const guide = readFileSync(join(root, 'docs/operate/operating.md'), 'utf8');
  const commands = [...guide.matchAll(/docker compose [^`\n#&]*/g)].map(([command]) => command.trim());
  const builds = commands.filter((command) => / build\b/.test(command));
  expect(builds).toEqual(['docker compose --profile operator build']);
  const starts = commands.filter((command) => / up .*--detach/.test(command) && !command.includes('--build'));
  // The second one is of the first deployment, before there are customers.
  expect(starts).toEqual([
    'docker compose up --detach --no-deps --wait "$service" || return',
    'docker compose up --detach',
  ]);
  const trusted = /FAREBOX_EDGE_TRUSTED_PROXIES=([\d.]+)/.exec(guide)?.[1];
  expect(compose.networks['services']?.ipam?.config[0]?.gateway).toBe(trusted);
});

it('the compose file has a guide that renews every service that customers or operators reach, and names no other', () => {
  const [operating, alerts] = ['operating', 'alerts'].map((page) =>
    readFileSync(join(root, `docs/operate/${page}.md`), 'utf8'),
  );
  const [, rolled = ''] = /\$\{\*:-([^}]*)\}/.exec(operating ?? '') ?? [];
  const kept = ['edge', 'migrate', 'postgres', 'redis'];
  const started = Object.entries(compose.services).filter(([, { profiles }]) => profiles.length === 0);
  expect(rolled.split(' ').sort()).toEqual(
    started
      .map(([name]) => name)
      .filter((name) => !kept.includes(name))
      .sort(),
  );
  const guides = `${operating ?? ''}${alerts ?? ''}`;
  const named = [
    ...guides.matchAll(/\broll((?: (?!and\b)[a-z]+(?:-\d)?\b)+)/g),
    ...guides.matchAll(/docker compose (?:stop|restart|ps --all)((?: [a-z]+(?:-\d)?\b)+)/g),
  ].flatMap(([, list = '']) => list.trim().split(' '));
  expect(named.filter((name) => compose.services[name] === undefined)).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});

it('the compose file has a guide to archiving that keeps its other settings', () => {
  const guide = readFileSync(join(root, 'docs/operate/operating.md'), 'utf8');
  const [block] = blocksOf(guide, 'Backup and restore').filter(({ language }) => language === 'yaml');
  const override = parse(block?.text ?? '') as {
    services: { postgres: { command: string[]; volumes: string[] } };
  };
  const { command, volumes } = override.services.postgres;
  expect(command.slice(0, 3)).toEqual(service('postgres').command);
  expect(command.filter((_, i) => i > 0 && command[i - 1] === '-c')).toEqual([
    'max_connections=200',
    'archive_mode=on',
    'archive_command=test ! -f /archive/%f && cp %p /archive/%f',
    'archive_timeout=60',
  ]);
  expect(volumes).toEqual(['archive:/archive']);
  // A new volume belongs to root, as do root's copies: PostgreSQL could neither archive nor restore.
  expect(guide).toContain('docker compose exec --user root postgres chown postgres: /archive');
  expect(guide).toMatch(/docker compose exec -T --user postgres postgres pg_basebackup/);
});

it('the compose file has a guide in which Redis accepts both passwords before any service uses the new one', () => {
  const guide = readFileSync(join(root, 'docs/operate/operating.md'), 'utf8');
  const commands = commandsOf(guide, 'Rotating secrets', 'ACL SETUSER default >');
  // Otherwise the worker is never ready, and `roll` ends there: Redis would keep the old password
  // permanently.
  expect(commands.indexOf('roll gateway-1 gateway-2 worker operator redis')).toBeGreaterThan(
    commands.indexOf('ACL SETUSER default >'),
  );
});

it('the compose file warns of no optional variable', () => {
  const text = readFileSync(join(root, 'docker/compose.yaml'), 'utf8');
  // Compose also reads unused parts, and warns of their variables at each command.
  expect([...text.matchAll(/\$\{[A-Z_]+\}/g)].map(([variable]) => variable)).toEqual([]);
});

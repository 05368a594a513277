import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, removePostgresData, ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { type LocalFile, readLocalFile } from '../src/start/state-folder';

const READY = 'Farebox is ready';

interface LaunchOptions {
  env?: NodeJS.ProcessEnv;
  reset?: boolean;
  operator?: boolean;
}

/** A local Farebox for a test: the real launcher and services, with a separate state folder and port. */
export interface LocalFarebox {
  stateFolder: string;
  /** Starts the launcher, like `npm start` after set-up. */
  launch(options?: LaunchOptions): ServiceProcess;
  /** Starts it and waits until it is ready. */
  start(options?: LaunchOptions): Promise<{ launcher: ServiceProcess; local: LocalFile }>;
  remove(): Promise<void>;
}

export async function createLocalFarebox(): Promise<LocalFarebox> {
  const stateFolder = mkdtempSync(path.join(tmpdir(), 'farebox-local-'));
  chmodSync(stateFolder, 0o711); // for PostgreSQL's user, where this is root
  const port = String(await freePort());
  const launched: ServiceProcess[] = [];

  const launch: LocalFarebox['launch'] = ({ env = {}, reset = false, operator = false } = {}) => {
    const bundle = path.join(workspaceRoot(), 'dist/commands/main.js');
    const call = `require(${JSON.stringify(bundle)}).start(${JSON.stringify({ reset, operator, stateFolder })})`;
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^FAREBOX_|^(?:DATABASE|REDIS)_URL$/.test(name),
    );
    const launcher = ServiceProcess.start({
      name: 'launcher',
      args: ['-e', `${call}.then((code) => process.exit(code))`],
      env: { ...Object.fromEntries(inherited), FAREBOX_PORT: port, ...env },
    });
    launched.push(launcher);
    return launcher;
  };

  return {
    stateFolder,
    launch,
    async start(options) {
      const launcher = launch(options);
      await launcher.until(launcher.output.waitForLine(READY));
      const local = readLocalFile(path.join(stateFolder, 'local.json'));
      if (!local) throw new Error('There is no local.json.');
      return { launcher, local };
    },
    async remove() {
      await Promise.all(launched.map((launcher) => launcher.stop(30_000)));
      removePostgresData(path.join(stateFolder, 'postgres'));
      rmSync(stateFolder, { recursive: true, force: true });
    },
  };
}

import { spawnSync } from 'node:child_process';

export interface SystemUser {
  uid: number;
  gid: number;
}

/** `nobody` on most systems; it need not have a name. */
const NOBODY: SystemUser = { uid: 65534, gid: 65534 };

/** The user for the bundles: an unprivileged one if the tests run as root, otherwise the current one. */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const asNobody = spawnSync(process.execPath, ['--version'], { cwd: '/', ...NOBODY });
  if (asNobody.status === 0) return NOBODY;
  throw new Error(`Only root can reach ${process.execPath}: put Node where every user can run it.`);
}

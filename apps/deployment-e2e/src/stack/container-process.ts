import { join } from 'node:path';
import { runToEnd, ServiceProcess, type ServiceOptions } from '@farebox/local-services';
import type { ComposeService } from '../compose/compose-file';
import { environmentOf, execForm, lineageOf, type Instruction, type Stage } from '../images/dockerfile';
import { imageFolder } from './image-folder';
import { unprivilegedUser } from './unprivileged-user';

/** A container of the compose file, run as a plain process. */
export interface Container {
  name: string;
  folder: string;
  /** The complete environment, from the image and the compose file. */
  env: Record<string, string>;
  instructions: readonly Instruction[];
}

/**
 * Everything of a container except the isolation: only the image's files in a folder, its environment and
 * that of the compose file, in which `translate` replaces the containers' addresses by those of this machine.
 */
export function containerOf(
  {
    name,
    service,
    stages,
    parent,
  }: {
    name: string;
    service: ComposeService;
    stages: ReadonlyMap<string, Stage>;
    parent: string;
  },
  translate: (name: string, env: Record<string, string>) => Record<string, string>,
): Container {
  const instructions = lineageOf(stages, service.build?.target ?? '');
  const env = translate(name, { ...environmentOf(instructions), ...service.environment });
  return { name, folder: imageFolder(parent, name, instructions), env, instructions };
}

/** Starts the image's command. */
export function start(container: Container): ServiceProcess {
  return ServiceProcess.start(optionsOf(container, commandOf(container, 'CMD')));
}

/** Runs the image's command with further arguments, and returns its output. Throws if it fails. */
export function run(container: Container, args: readonly string[] = []): Promise<string[]> {
  const command = [...commandOf(container, 'ENTRYPOINT'), ...commandOf(container, 'CMD'), ...args];
  return runToEnd(optionsOf(container, command));
}

/** Runs the image's health check. Throws if it fails. */
export async function checkHealth(container: Container): Promise<void> {
  await runToEnd(optionsOf(container, commandOf(container, 'HEALTHCHECK')));
}

function commandOf({ instructions }: Container, keyword: string): string[] {
  const text = instructions.findLast((instruction) => instruction.keyword === keyword)?.text ?? '[]';
  return execForm(text.replace(/^.* CMD /, '')) ?? [];
}

/** Options of the images' Node that the tests' own one refuses. */
const REFUSED =
  Number.parseInt(process.versions.node) < 24 ? ['--external-memory-accounted-in-global-limit'] : [];

function optionsOf({ name, folder, env }: Container, [program, ...args]: readonly string[]): ServiceOptions {
  if (program !== 'node') throw new Error(`${name} has no command that runs Node.`);
  // No PATH, no HOME: the environment comes only from the image and the compose file.
  return {
    name,
    args: args
      .filter((arg) => !REFUSED.includes(arg))
      .map((arg) => (arg === 'main.js' ? join(folder, arg) : arg)),
    cwd: folder,
    env,
    runAs: unprivilegedUser(),
  };
}

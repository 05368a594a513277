import { join } from 'node:path';
import { runToEnd, ServiceProcess, type ServiceOptions } from '@farebox/local-services';
import type { ComposeService } from '../compose/compose-file';
import { environmentOf, execForm, lineageOf, type Instruction, type Stage } from '../images/dockerfile';
import { imageFolder } from './image-folder';
import { unprivilegedUser } from './unprivileged-user';

/** A container of the compose file, as a process without one. */
export interface Container {
  name: string;
  folder: string;
  /** All of it: what the image sets and what the compose file sets. */
  env: Record<string, string>;
  instructions: readonly Instruction[];
}

/**
 * Everything that a container has, but for the container: the image's files alone in a folder, its environment and that
 * of the compose file, in which `translate` puts the addresses of this machine in place of those of the containers.
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

/** Starts what the image starts. */
export function start(container: Container): ServiceProcess {
  return ServiceProcess.start(optionsOf(container, commandOf(container, 'CMD')));
}

/** Runs what the image runs, with further arguments, and answers with what it printed. Throws if it fails. */
export function run(container: Container, args: readonly string[] = []): Promise<string[]> {
  const command = [...commandOf(container, 'ENTRYPOINT'), ...commandOf(container, 'CMD'), ...args];
  return runToEnd(optionsOf(container, command));
}

/** Runs the image's health check. Throws if it says no. */
export async function checkHealth(container: Container): Promise<void> {
  await runToEnd(optionsOf(container, commandOf(container, 'HEALTHCHECK')));
}

function commandOf({ instructions }: Container, keyword: string): string[] {
  const text = instructions.findLast((instruction) => instruction.keyword === keyword)?.text ?? '[]';
  return execForm(text.replace(/^.* CMD /, '')) ?? [];
}

function optionsOf({ name, folder, env }: Container, [program, ...args]: readonly string[]): ServiceOptions {
  if (program !== 'node') throw new Error(`${name} has no command that runs Node.`);
  // No PATH, no HOME: the environment is what the image and the compose file say.
  return {
    name,
    args: args.map((arg) => (arg === 'main.js' ? join(folder, arg) : arg)),
    cwd: folder,
    env,
    runAs: unprivilegedUser(),
  };
}

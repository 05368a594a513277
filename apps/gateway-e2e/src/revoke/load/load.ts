import { createRandom, type Random } from '../../random';
import type { Customer } from '../stand/customers';
import { BARRED_MODEL, type Asked } from './attempt';
import type { Sender } from './sender';

export interface Load {
  /** Sends nothing new, and waits for what runs. Throws where a client could not go on. */
  stop(): Promise<void>;
}

const ASKED: readonly [Asked, ...Asked[]] = [
  { kind: 'whole', model: BARRED_MODEL },
  { kind: 'whole', model: BARRED_MODEL },
  { kind: 'whole', model: 'pause-50' },
  { kind: 'stream', model: BARRED_MODEL },
  { kind: 'stream', model: 'paced' },
  { kind: 'models' },
];
/** Most requests carry the newest secret, the others one of those before it. */
const SHARE_OLD = 0.3;
const OLDEST_BEFORE_NEWEST = 3;

export interface LoadOptions {
  sender: Sender;
  customers: readonly Customer[];
  gateways: number;
  clients: number;
  seed: string;
}

/** Clients that ask any gateway with any customer's secrets, one request after the other, whatever they are told. */
export function startLoad({ sender, customers, gateways, clients, seed }: LoadOptions): Load {
  let isStopped = false;
  const runClient = async (number: number): Promise<void> => {
    const random = createRandom(`${seed}/client ${String(number)}`);
    while (!isStopped) {
      const customer = random.between(0, customers.length - 1);
      const secret = chooseSecret(random, customers[customer]?.secrets.length ?? 0);
      await sender.send({
        ...{ customer, secret, gateway: random.between(0, gateways - 1) },
        asked: random.pick(ASKED),
      });
    }
  };
  const running = Promise.allSettled(Array.from({ length: clients }, (_, number) => runClient(number)));
  return {
    async stop() {
      isStopped = true;
      const failed = (await running).find((client) => client.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}

function chooseSecret(random: Random, count: number): number {
  const newest = count - 1;
  return random.chance(SHARE_OLD)
    ? random.between(Math.max(0, newest - OLDEST_BEFORE_NEWEST), newest)
    : newest;
}

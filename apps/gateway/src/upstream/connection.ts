import { Client, type Dispatcher } from 'undici';

/** A request that knows its connection once it is written. */
export interface ConnectedOptions extends Dispatcher.DispatchOptions {
  call: { connection: Connection | undefined };
}

/** A connection to an upstream. If it is lost, the next request opens it again. */
export class Connection extends Client {
  /** Whether it has carried a response since it was opened. */
  hasAnswered = false;

  constructor(origin: URL, options: object) {
    super(origin, options);
    this.on('connect', () => {
      this.hasAnswered = false;
    });
  }

  override dispatch(options: ConnectedOptions, handler: Dispatcher.DispatchHandler): boolean {
    options.call.connection = this;
    return super.dispatch(options, handler);
  }
}

const LOSSES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether this error of a call means that its connection was lost. */
export function isLoss(error: Error): boolean {
  return 'code' in error && LOSSES.has(String(error.code));
}

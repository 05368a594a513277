import { USUAL_DIALECT, type Dialect, type Upstream } from '@farebox/catalog';

/**
 * How requests to one model of a server are written: the catalogue's settings, and those that the server
 * asked for.
 */
export interface Speech {
  wire: Upstream['wire'];
  maxTokensField: Upstream['maxTokensField'];
  dialect: Dialect;
  /**
   * For this request only: the server rejects the seals in the conversation, for instance those of another
   * key of the operator.
   */
  leavesOutSeals?: true;
}

/** The change that a server asked for when it refused a request. */
export type SpeechChange = Partial<Omit<Speech, 'dialect'>> & { dialect?: Partial<Dialect> };

/** The default: plain chat. */
export const USUAL_SPEECH: Speech = {
  wire: 'chat',
  maxTokensField: 'max_tokens',
  dialect: USUAL_DIALECT,
};

export function speechOf({ wire, maxTokensField, dialect }: Upstream): Speech {
  return { wire, maxTokensField, dialect };
}

/** Undefined if that changes nothing. */
export function changedSpeech(speech: Speech, { dialect, ...change }: SpeechChange): Speech | undefined {
  const omit = [...new Set([...speech.dialect.omit, ...(dialect?.omit ?? [])])];
  const changed = { ...speech, ...change, dialect: { ...speech.dialect, ...dialect, omit } };
  return isSameSpeech(speech, changed) ? undefined : changed;
}

export function isSameSpeech(one: Speech, other: Speech): boolean {
  if (one.wire !== other.wire || one.maxTokensField !== other.maxTokensField) return false;
  if (one.leavesOutSeals !== other.leavesOutSeals) return false;
  if (one.dialect === other.dialect) return true;
  return keyOf(one.dialect) === keyOf(other.dialect);
}

/** Dialects from the catalogue are immutable, so each is serialised once. */
const KEYS = new WeakMap<Dialect, string>();

function keyOf(dialect: Dialect): string {
  const known = KEYS.get(dialect);
  if (known !== undefined) return known;
  const key = JSON.stringify(Object.entries(dialect).sort(([a], [b]) => (a < b ? -1 : 1)));
  KEYS.set(dialect, key);
  return key;
}

/** A learnt change expires, because servers change too. */
const REMEMBERED_MS = 3_600_000;

/** The learnt settings for the models of one server. */
export class KnownSpeech {
  readonly #usual: Speech;
  readonly #learnt = new Map<string, { speech: Speech; untilMs: number }>();

  constructor(upstream: Upstream) {
    this.#usual = speechOf(upstream);
  }

  of(upstreamModel: string, nowMs: number): Speech {
    const learnt = this.#learnt.get(upstreamModel);
    if (!learnt) return this.#usual;
    if (nowMs < learnt.untilMs) return learnt.speech;
    this.#learnt.delete(upstreamModel);
    return this.#usual;
  }

  /**
   * Remembers settings with which a refused request was answered. A change of wire is not remembered: the
   * catalogue decides the wire for all requests of a model.
   */
  learn(upstreamModel: string, speech: Speech, nowMs: number): void {
    if (speech.leavesOutSeals || speech.wire !== this.#usual.wire) return;
    this.#learnt.set(upstreamModel, { speech, untilMs: nowMs + REMEMBERED_MS });
  }
}

import type { ApiKey } from './api';
import { fromEntry, toEntry } from '@farebox/ui/format';
import { t } from '@farebox/ui/language';

export const KEY_STATUSES = {
  active: { name: 'Active', colour: 'teal' },
  disabled: { name: 'Disabled', colour: 'orange' },
  expired: { name: 'Expired', colour: 'yellow' },
  revoked: { name: 'Revoked', colour: 'gray' },
} as const;

/** The settings of a key as a person types them. */
export interface KeyWish {
  name: string;
  /** In dollars; empty for none. */
  limit: string;
  /** The last day in the person's own time zone, as `2026-11-30`; empty for none. */
  expiry: string;
  /** Separated by commas or blanks. */
  origins: string;
  mode: 'all' | 'allow' | 'block';
  models: string[];
  /** Undefined: as the API does without the setting. */
  shows: boolean | undefined;
}

export const NEW_KEY: KeyWish = {
  ...{ name: '', limit: '', expiry: '', origins: '', mode: 'all', models: [], shows: undefined },
};

export function toWish(record: ApiKey): KeyWish {
  const { name, monthly_spend_limit: limit, expires_at, allowed_origins, model_policy } = record;
  const isDefault = record.shows_account_limits === (allowed_origins === null);
  return {
    name,
    limit: limit === null ? '' : toEntry(limit),
    expiry: expires_at === null ? '' : toInputDay(new Date(expires_at * 1_000)),
    origins: allowed_origins?.join(', ') ?? '',
    mode: model_policy?.mode ?? 'all',
    models: model_policy?.models ?? [],
    shows: isDefault ? undefined : record.shows_account_limits,
  };
}

/** Every setting in the form of the API. */
export function toSettings({ name, limit, expiry, origins, mode, models, shows }: KeyWish) {
  const allowed = toOrigins(origins);
  return {
    name: name.trim(),
    monthly_spend_limit: limit === '' ? null : fromEntry(limit),
    expires_at: expiry === '' ? null : Math.floor(Date.parse(`${expiry}T23:59:59`) / 1_000),
    allowed_origins: allowed.length === 0 ? null : allowed,
    shows_account_limits: shows ?? null,
    model_policy: mode === 'all' ? null : { mode, models },
  };
}

type Settings = ReturnType<typeof toSettings>;

/** Only the settings that differ: an expiry that nobody touched keeps its time of day. */
export function toChanges(before: KeyWish, after: KeyWish): Partial<Settings> {
  const old: Readonly<Record<string, unknown>> = toSettings(before);
  const changes = Object.entries(toSettings(after)).filter(
    ([setting, value]) => JSON.stringify(value) !== JSON.stringify(old[setting]),
  );
  return Object.fromEntries(changes);
}

export type KeyFaults = Partial<Record<keyof KeyWish, string>>;

/** Why settings cannot be saved, by field. Those that are as `before` are the service's own. */
export function faultsOf(wish: KeyWish, before: KeyWish, today: string): KeyFaults {
  const faults: KeyFaults = {};
  if (wish.name.trim() === '') faults.name = t('Give the key a name.');
  if (wish.limit !== '' && !isAmount(fromEntry(wish.limit)))
    faults.limit = t('Write an amount above zero in dollars, like 5 or 2.50.');
  if (wish.expiry !== '' && wish.expiry !== before.expiry && wish.expiry < today)
    faults.expiry = t('Choose today or a later day.');
  const wrong = toOrigins(wish.origins).find((origin) => !isOrigin(origin));
  if (wrong !== undefined)
    faults.origins = t('{text} is not an origin. Write it like https://app.example.com', { text: wrong });
  if (wish.mode !== 'all' && wish.models.length === 0) faults.models = t('Choose at least one model.');
  return faults;
}

export const toOrigins = (typed: string): string[] => typed.split(/[\s,]+/).filter((origin) => origin !== '');

const isAmount = (text: string): boolean => /^\d+(\.\d{1,9})?$/.test(text) && /[1-9]/.test(text);

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** A day as date fields write it, in the person's own time zone. */
export function toInputDay(time: Date): string {
  const parts = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return parts.map((part, i) => part.toString().padStart(i === 0 ? 4 : 2, '0')).join('-');
}

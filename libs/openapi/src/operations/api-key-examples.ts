import { DAY, KEY_ID, NOON } from './examples';

export const apiKey = {
  object: 'api_key',
  key_public_id: KEY_ID,
  name: 'laptop',
  hint: '000X',
  status: 'active',
  created_at: NOON,
  expires_at: NOON + 90 * DAY,
  revoked_at: null,
  last_used_at: NOON + 60,
  monthly_spend_limit: '25.000000000',
  monthly_spend: '0.000010500',
  currency: 'usd',
  model_policy: { mode: 'allow', models: ['farebox-small'] },
};

export const newApiKey = { ...apiKey, last_used_at: null, monthly_spend: '0.000000000' };

export const revokedApiKey = { ...apiKey, status: 'revoked', revoked_at: NOON + DAY };

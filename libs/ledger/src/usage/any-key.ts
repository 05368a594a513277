/** What `usage_sum` has for the key in a row that is about all keys of an account. */
export const ANY_KEY = '00000000-0000-0000-0000-000000000000';

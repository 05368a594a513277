/**
 * Decides a batch of requests by Redis's own clock, in one call. A request is limited in two or three scopes: its key, its
 * account, and its account's requests that cost nothing. For each key or account of a scope there are two sorted sets: the
 * log, whose scores are the times of admission, and the running requests, whose scores are the ends of their leases. A
 * request is admitted by all of its scopes or counted in none: a refused one leaves no trace. Those that ended free their
 * permits, and those that run on have their leases renewed, before the others are decided. A lease that is renewed after it
 * has lapsed takes its permit again, also over the limit.
 *
 * Scores that Redis's clock cannot have given yet are from before it was set back. They are taken as given now, so that
 * they block their key for one window or lease more, not for as long as the clock was set back.
 *
 * KEYS: the epoch, then a running set for each entry that ended or runs on, then for each request that asks the log and the
 * running set of each of its scopes.
 * ARGV: a fresh epoch, window (ms), lease (ms), how many entries ended, how many ended or run on, how many requests ask, then
 * for each of the three scopes its requests and its concurrent ones, then the member of each entry that ended or runs on,
 * then for each request that asks its member and the number of its scopes. A member is unique to its request.
 * Answer: the epoch, then for each request that asks its outcome (0 admitted, 2s-1 the window of scope s is full, 2s too many
 * run at once in scope s), the number of requests in the window and of those that run, itself included if it was admitted, of
 * the key and of the account, the milliseconds until the oldest one of the key's window ages out, and the same of the window
 * that is full.
 */
export const LIMIT_SCRIPT = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local window, lease = tonumber(ARGV[2]), tonumber(ARGV[3])
local ended, told, asking = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

local function bound(set, latest)
  if redis.call('ZCOUNT', set, '(' .. latest, '+inf') == 0 then return end
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', set, '(' .. latest, '+inf')) do
    redis.call('ZADD', set, latest, member)
  end
end

local function reset(log)
  local oldest = redis.call('ZRANGE', log, 0, 0, 'WITHSCORES')
  if not oldest[2] then return 0 end
  return math.max(0, tonumber(oldest[2]) + window - now)
end

for i = 1, ended do
  redis.call('ZREM', KEYS[1 + i], ARGV[12 + i])
end
for i = ended + 1, told do
  redis.call('ZADD', KEYS[1 + i], now + lease, ARGV[12 + i])
  redis.call('PEXPIRE', KEYS[1 + i], lease)
end

redis.call('SET', KEYS[1], ARGV[1], 'NX')
local answer = { redis.call('GET', KEYS[1]) }
local at = 1 + told
for i = 1, asking do
  local member, scopes = ARGV[11 + told + 2 * i], tonumber(ARGV[12 + told + 2 * i])
  local counts, runs, outcome = {}, {}, 0
  for s = 1, scopes do
    local log, running = KEYS[at + 2 * s - 1], KEYS[at + 2 * s]
    bound(log, now)
    bound(running, now + lease)
    redis.call('ZREMRANGEBYSCORE', log, '-inf', now - window)
    redis.call('ZREMRANGEBYSCORE', running, '-inf', now)
    counts[s], runs[s] = redis.call('ZCARD', log), redis.call('ZCARD', running)
    if outcome == 0 and counts[s] >= tonumber(ARGV[5 + 2 * s]) then outcome = 2 * s - 1 end
    if outcome == 0 and runs[s] >= tonumber(ARGV[6 + 2 * s]) then outcome = 2 * s end
  end
  if outcome == 0 then
    for s = 1, scopes do
      local log, running = KEYS[at + 2 * s - 1], KEYS[at + 2 * s]
      redis.call('ZADD', log, now, member)
      redis.call('PEXPIRE', log, window)
      redis.call('ZADD', running, now + lease, member)
      redis.call('PEXPIRE', running, lease)
      counts[s], runs[s] = counts[s] + 1, runs[s] + 1
    end
  end
  local wait = 0
  if outcome % 2 == 1 then wait = reset(KEYS[at + outcome]) end
  for _, number in ipairs({ outcome, counts[1], runs[1], counts[2], runs[2], reset(KEYS[at + 1]), wait }) do
    answer[#answer + 1] = number
  end
  at = at + 2 * scopes
end
return answer`;

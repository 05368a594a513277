/**
 * Decides a batch of requests by Redis's own clock, in one call. For each key there are two sorted sets: the log, whose
 * scores are the times of admission, and the running requests, whose scores are the ends of their leases. A refused
 * request leaves no trace. Those that ended free their permits, and those that run on have their leases renewed,
 * before the others are decided. A lease that is renewed after it has lapsed takes its permit again, also over the limit.
 *
 * Scores that Redis's clock cannot have given yet are from before it was set back. They are taken as given now, so that
 * they block their key for one window or lease more, not for as long as the clock was set back.
 *
 * KEYS: the epoch, then the log and the running set of each item that asks, then the running set of each that ended and
 * of each that runs on.
 * ARGV: a fresh epoch, requests, window (ms), concurrent, lease (ms), how many ask, how many ended, then the members of
 * those that ask, that ended and that run on; each member is unique.
 * Answer: the epoch, then for each item that asks its outcome (0 admitted, 1 window full, 2 too many at once), the
 * number of requests in the window and of those that run, itself included if it was admitted, and the milliseconds until
 * the oldest one of the window ages out.
 */
export const LIMIT_SCRIPT = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local requests, window, concurrent, lease = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local asking, ended = tonumber(ARGV[6]), tonumber(ARGV[7])
local function bound(set, latest)
  if redis.call('ZCOUNT', set, '(' .. latest, '+inf') == 0 then return end
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', set, '(' .. latest, '+inf')) do
    redis.call('ZADD', set, latest, member)
  end
end
for i = asking + 1, asking + ended do
  redis.call('ZREM', KEYS[1 + asking + i], ARGV[7 + i])
end
for i = asking + ended + 1, #ARGV - 7 do
  redis.call('ZADD', KEYS[1 + asking + i], now + lease, ARGV[7 + i])
  redis.call('PEXPIRE', KEYS[1 + asking + i], lease)
end
redis.call('SET', KEYS[1], ARGV[1], 'NX')
local answer = { redis.call('GET', KEYS[1]) }
for i = 1, asking do
  local log, running, member = KEYS[2 * i], KEYS[2 * i + 1], ARGV[7 + i]
  bound(log, now)
  bound(running, now + lease)
  redis.call('ZREMRANGEBYSCORE', log, '-inf', now - window)
  redis.call('ZREMRANGEBYSCORE', running, '-inf', now)
  local count, runs = redis.call('ZCARD', log), redis.call('ZCARD', running)
  local outcome = 0
  if count >= requests then
    outcome = 1
  elseif runs >= concurrent then
    outcome = 2
  else
    redis.call('ZADD', log, now, member)
    redis.call('PEXPIRE', log, window)
    redis.call('ZADD', running, now + lease, member)
    redis.call('PEXPIRE', running, lease)
    count = count + 1
    runs = runs + 1
  end
  local oldest = redis.call('ZRANGE', log, 0, 0, 'WITHSCORES')
  local reset = 0
  if oldest[2] then reset = math.max(0, tonumber(oldest[2]) + window - now) end
  answer[#answer + 1] = outcome
  answer[#answer + 1] = count
  answer[#answer + 1] = runs
  answer[#answer + 1] = reset
end
return answer`;

-- fenced.lua: Redisson's fenced lock, its scripts under fenced/ and lock/: the plain lock, and each grant comes with a
-- token that grows, for the resource to tell old holders from new ones. lock.token is that of the newest grant.
local client = require "redisson.client"
local names = require "redisson.names"
local plain = require "redisson.lock"
local resend = require "redisson.client.resend"
local token = require "redisson.client.token"
local transport = require "redisson.client.transport"

local acquire = script "redisson/fenced/acquire.lua"
local acquire_plain = script "redisson/fenced/acquire_plain.lua"

local function names_of(name)
  local all = plain.family.names(name)
  all.token = names.prefix("redisson_lock_token", name)
  return all
end

local function keys_of(lock)
  return { lock.name, lock.names.token }
end

-- lockAndGetToken(lease) does not look at the lease that it is given, and the watchdog keeps the lock;
-- tryLockAndGetToken does. An acquire that no replica is known to have is neither taken back nor tried again.
local family = setmetatable({ names = names_of, forgets_lease = true, leaves_unsynced = true },
                            { __index = plain.family })

function family.acquire(lock, ttl_ms)
  return { script = acquire, keys = keys_of(lock), argv = { ttl_ms, lock.me.id } }
end
family.try_once = family.acquire

-- lock() and tryLock() are the plain lock's in all but the script: the caller learns no token, and its lease counts.
local without_token = setmetatable({ names = names_of }, { __index = plain.family })

function without_token.acquire(lock, ttl_ms)
  return { script = acquire_plain, keys = keys_of(lock), argv = { ttl_ms, lock.me.id } }
end
without_token.try_once = without_token.acquire

-- The plain lock's answer in its place, and the token. -1 stands for "yours", and is also what PTTL says
-- of a lock that another owner holds without a TTL; then there is no token.
function family.read(reply)
  if reply == nil or reply[1] == -1 then
    return nil, reply and reply[2] > 0 and reply[2] or nil
  end
  return reply[1]
end

-- The counter of tokens stays when the lock is free, as it must: no key of the lock's in that sense.
local M = { spec = "reentrant", runtime = "threads", view = plain.view }

-- getToken(): the newest token granted, whatever its owner; nil: none yet. Or nil and why. A read is sent
-- again when no answer comes.
local function get_token(lock)
  local newest, problem = resend.until_answered(lock.me, function(again)
    return lock.me:call("GET", lock.names.token, { op = "get_token", lock = lock.name, resend = true, again = again })
  end)
  if problem then
    return nil, transport.reason(problem)
  end
  return newest
end

-- Its acquire is lockAndGetToken(), its try_acquire tryLockAndGetToken().
M.lock = client.constructor(M, family, { acquire = token.lock, try_acquire = token.try_lock, get_token = get_token })
M.without_token = client.constructor(M, without_token)   -- lock() and tryLock()

return M

-- over.lua: the forms of redis-semaphore 5.8.0 over several servers: RedlockMutex, RedlockSemaphore,
-- RedlockMultiSemaphore. Each request goes to all servers side by side, and all answers are waited for; an error
-- counts as a no. A refused try gives back what it got before the next one. A refresh that a majority granted asks
-- anew at the servers that did not; no client checks how long an acquisition took. Mutual exclusion is judged: a
-- semaphore's acquisition should take all of its permits here.
local evaluate = require "evaluate"
local lock = require "redis_semaphore.lock"
local semaphore = require "redis_semaphore.semaphore"

local scripts = {
  mutex = { refresh = script "redis_semaphore/mutex/refresh.lua",
            release = script "redis_semaphore/mutex/release.lua" },
  semaphore = { acquire = script "redis_semaphore/semaphore/acquire.lua",
                refresh = script "redis_semaphore/semaphore/refresh.lua" },
  multi = { acquire = script "redis_semaphore/multi_semaphore/acquire.lua",
            refresh = script "redis_semaphore/multi_semaphore/refresh.lua",
            release = script "redis_semaphore/multi_semaphore/release.lua" },
}

local M = {}

-- getQuorum
local function quorum(servers)
  return math.floor((servers + 1) / 2 + 0.5)
end

-- Sends one request to each of these servers and waits for all answers. Returns the number of those that said yes, and
-- which.
local function ask_all(self, me, servers, request)
  local done = me:semaphore(0)
  local yes, count = {}, 0
  for _, n in ipairs(servers) do
    local function note(_, reply, problem)
      if problem == nil and request.means_yes(reply) then
        yes[n], count = true, count + 1
      end
      done:release(1)
    end
    local at = me:on(n)
    if request.script then
      evaluate.send(at, request.script, { self.kind.key(self.name) }, request.argv, request.options, note)
    else
      at:send(request.command, { self.kind.key(self.name) }, request.argv, request.options):on_answer(note)
    end
  end
  for _ = 1, #servers do
    done:acquire()
  end
  return count, yes
end

local function all_servers(self)
  local numbers = {}
  for n = 1, self.kind.servers do
    numbers[n] = n
  end
  return numbers
end

local function is_one(reply) return reply == 1 end
local function is_ok(reply) return reply == "OK" end

-- ---- requests of each kind ----

local requests = { mutex = {}, semaphore = {}, multi = {} }

local function options_of(self, op)
  return { op = op, lock = self.name, lease = op ~= "release" and op ~= "give_back" and self.opts.lease_ms or nil }
end

function requests.mutex.acquire(self, op)
  return { command = "SET", argv = { self.id, "PX", self.opts.lease_ms, "NX" }, options = options_of(self, op),
           means_yes = is_ok }
end

function requests.mutex.refresh(self)
  return { script = scripts.mutex.refresh, argv = { self.id, self.opts.lease_ms }, options = options_of(self, "renew"),
           means_yes = is_one }
end

function requests.mutex.release(self, op)
  return { script = scripts.mutex.release, argv = { self.id }, options = options_of(self, op), means_yes = is_one }
end

requests.mutex.give_back = requests.mutex.release

function requests.semaphore.acquire(self, op, now_ms)
  return { script = scripts.semaphore.acquire, argv = { self.kind.limit, self.id, self.opts.lease_ms, now_ms },
           options = options_of(self, op), means_yes = is_one }
end

function requests.semaphore.refresh(self, now_ms)
  return { script = scripts.semaphore.refresh, argv = { self.kind.limit, self.id, self.opts.lease_ms, now_ms },
           options = options_of(self, "renew"), means_yes = is_one }
end

function requests.semaphore.release(self, op)
  return { command = "ZREM", argv = { self.id }, options = options_of(self, op), means_yes = is_one }
end

requests.semaphore.give_back = requests.semaphore.release

function requests.multi.acquire(self, op, now_ms)
  return { script = scripts.multi.acquire, argv = { self.kind.limit, self.kind.permits, self.id, self.opts.lease_ms,
                                                    now_ms },
           options = options_of(self, op), means_yes = is_one }
end

function requests.multi.refresh(self, now_ms)
  return { script = scripts.multi.refresh, argv = { self.kind.limit, self.kind.permits, self.id, self.opts.lease_ms,
                                                    now_ms },
           options = options_of(self, "renew"), means_yes = is_one }
end

function requests.multi.release(self, op)
  local permits = self.kind.permits
  return { script = scripts.multi.release, argv = { permits, self.id }, options = options_of(self, op),
           means_yes = function(reply) return reply == permits end }
end

-- A refused try of RedlockMultiSemaphore removes the identifier itself, which is no member: its permits stay
-- (lib/redlockMultiSemaphore/acquire.js).
requests.multi.give_back = requests.semaphore.release

-- ---- kinds ----

local function is_majority(self, count)
  return count >= quorum(self.kind.servers)
end

local function ask(self, me)
  return is_majority(self, (ask_all(self, me, all_servers(self), self.kind.requests.acquire(self, "vote", me:now()))))
end

local function give_back(self, me)
  ask_all(self, me, all_servers(self), self.kind.requests.give_back(self, "give_back"))
end

-- refreshRedlockMutex and its likes.
local function refresh(self, me)
  local now_ms, all = me:now(), all_servers(self)
  local count, yes = ask_all(self, me, all, self.kind.requests.refresh(self, now_ms))
  if not is_majority(self, count) then
    ask_all(self, me, all, self.kind.requests.release(self, "give_back"))
    return false
  end
  local others = {}
  for _, n in ipairs(all) do
    if not yes[n] then
      others[#others + 1] = n
    end
  end
  if #others > 0 then
    ask_all(self, me, others, self.kind.requests.acquire(self, "vote", now_ms))
  end
  return true
end

local function free(self, me)
  return is_majority(self, (ask_all(self, me, all_servers(self), self.kind.requests.release(self, "release"))))
end

-- Holders by a majority: owners with their permits on each server are counted server by server; for how long the key
-- lives on most servers; and the modes of semaphore.holders.
local function majority_of(redis, kind, name, lease_ms)
  local on, modes, ttls = {}, {}, {}
  for n = 1, kind.servers do
    local at = redis.on(n)
    local here
    if kind.limit then
      local _
      here, _, modes = semaphore.holders(at, kind.key(name), lease_ms)
    else
      local value = at.call("TYPE", kind.key(name)) == "string" and at.call("GET", kind.key(name))
      here = value and { [value:match("^[^/]*")] = 1 } or {}
    end
    ttls[n] = at.call("PTTL", kind.key(name))
    for owner, count in pairs(here) do
      if count >= (kind.permits or 1) then
        on[owner] = (on[owner] or 0) + 1
      end
    end
  end
  local holders = {}
  for owner, servers in pairs(on) do
    if servers >= quorum(kind.servers) then
      holders[owner] = kind.permits or 1
      modes[owner] = kind.limit and "permit" or nil
    end
  end
  table.sort(ttls)
  return holders, ttls[kind.servers - quorum(kind.servers) + 1], modes
end

local function driver_of(kind, lease_ms)
  local driver = { runtime = "event loop" }

  function driver.view(redis, name)
    local keys = {}
    for n = 1, kind.servers do
      if redis.on(n).call("EXISTS", kind.key(name)) == 1 then
        keys[#keys + 1] = kind.key(name) .. " on server " .. n
      end
    end
    local holders, ttl_ms, modes = majority_of(redis, kind, name, lease_ms)
    return { holders = holders, ttl_ms = ttl_ms, modes = kind.limit and modes or nil, keys = keys }
  end

  -- opts: those of redis_semaphore.lock; lease_ms: in place of the pool's.
  function driver.lock(me, name, opts)
    local all = me:on(unpack(all_servers { kind = kind }))
    all:observe(name, driver)
    opts = opts or {}
    opts.lease_ms = opts.lease_ms or lease_ms
    return lock.new(kind, all, name, opts)
  end

  return driver
end

local function kind_of(servers, which, key)
  return { servers = servers, requests = requests[which], key = key, ask = ask, give_back = give_back,
           refresh = refresh, free = free }
end

-- The drivers over so many servers. They name no reference specification: one server's answer does not decide.
-- pool: permits, take (of a multi-semaphore), lease_ms (10000).
function M.mutex(servers, pool)
  return driver_of(kind_of(servers, "mutex", function(name) return "mutex:" .. name end),
                   pool and pool.lease_ms or 10000)
end

function M.semaphore(servers, pool)
  local kind = kind_of(servers, "semaphore", semaphore.key)
  kind.limit, kind.permits = pool.permits or 1, 1
  return driver_of(kind, pool.lease_ms or 10000)
end

function M.multi_semaphore(servers, pool)
  local kind = kind_of(servers, "multi", semaphore.key)
  kind.limit, kind.permits = pool.permits or 2, pool.take or 2
  return driver_of(kind, pool.lease_ms or 10000)
end

return M

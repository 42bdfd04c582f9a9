-- renewal.lua: how a process renews, every 10 s, each lock that one of its threads holds without a lease of its own.
-- One task per process, server and kind of lock serves all locks of that kind (watchdog.lua, read_watchdog.lua). Per
-- lock it keeps the owners in the order of their acquires, one element for each. The ten seconds are counted from the
-- end of one round to the beginning of the next.
local evaluate = require "evaluate"
local resend = require "redisson.client.resend"
local shared = require "shared"
local synced = require "redisson.client.synced"

local M = {}

M.timeout_ms = 30000                           -- the lease of a lock for which the caller named none
local round_ms = 10000
local batch_max = 100

local function state_of(kind, me)
  local state = shared(me, kind.name)
  if state.entries == nil then
    state.entries = {}
  end
  return state
end

-- With replicas renewals are sent as all scripts are, together with a WAIT: how many the server has, or nil.
local function replicas_of(me)
  return shared(me, "redisson_server").replicas
end

function M.has_replicas(me, replicas)
  shared(me, "redisson_server").replicas = replicas
end

-- With nothing left to renew, the next timer finds nothing, and sets no other.
local function rest(state)
  if next(state.entries) == nil then
    state.running = nil
  end
end

-- One acquire of `owner` less. After the last one it is forgotten, however often it was noted.
local function forget(state, name, owner)
  local entry = state.entries[name]
  if entry == nil or entry.counts[owner] == nil then
    return
  end
  if entry.counts[owner] > 1 then
    entry.counts[owner] = entry.counts[owner] - 1
    return
  end
  entry.counts[owner] = nil
  if next(entry.counts) == nil then
    state.entries[name] = nil
    rest(state)
    return
  end
  local others = {}
  for _, noted in ipairs(entry.owners) do
    if noted ~= owner then
      others[#others + 1] = noted
    end
  end
  entry.owners = others
end

-- One script for up to batch_max locks; names that are no longer held by those it asked for are dropped.
local function renew_batch(kind, me, state, batch)
  local request = kind.request(batch, me)
  local one = #batch == 1 and batch[1].name or nil     -- a request that concerns several locks names none
  local renewed, problem
  local replicas = replicas_of(me)
  if replicas then
    renewed, problem = synced.send({ me = me, name = one, family = {}, opts = { replicas = replicas } }, kind.op,
                                   M.timeout_ms, request)
  else
    renewed, problem = resend.until_answered(me, function(again)
      return evaluate.eval(me, request.script, request.keys, request.argv,
                           { op = kind.op, lock = one, lease = M.timeout_ms, resend = true, again = again })
    end)
  end
  if problem then
    return false                               -- the library logs it and skips the rest of the round
  end
  for i, asked in ipairs(batch) do
    if (type(renewed) == "table" and renewed[i] or renewed) == 0 then
      for _, owner in ipairs(asked.owners) do
        forget(state, asked.name, owner)
      end
    end
  end
  return true
end

local function renew_all(kind, me, state)
  local all = {}
  for name, entry in pairs(state.entries) do
    all[#all + 1] = { name = name, owners = kind.asks_for(entry), aliases = entry.aliases, values = entry.values }
  end
  local most = kind.batch_max or batch_max
  for first = 1, #all, most do
    local batch = {}
    for i = first, math.min(first + most - 1, #all) do
      batch[#batch + 1] = all[i]
    end
    if not renew_batch(kind, me, state, batch) then
      return
    end
  end
end

-- One round; is there to be another one? Upstream no lock (RenewalTask.run): what it reads and drops it does lock by
-- lock, by ConcurrentHashMap.compute.
local function round(kind, me, state)
  renew_all(kind, me, state)
  return state.running
end

-- Notes that `owner` acquired the lock without a lease, and starts the rounds if they do not run.
local function add(kind, me, name, owner, alias, values)
  local state = state_of(kind, me)
  local entry = state.entries[name]
  if entry == nil then
    entry = { owners = {}, counts = {}, aliases = {}, values = values }
    state.entries[name] = entry
  end
  entry.owners[#entry.owners + 1] = owner
  entry.counts[owner] = (entry.counts[owner] or 0) + 1
  entry.aliases[owner] = alias
  if state.running == nil then
    state.running = true
    me:spawn("watchdog", function(task)
      repeat
        task:sleep(round_ms)
      until not task:atomic(round, kind, task, state)
    end, { daemon = true })
  end
end

-- Its timer is left running. A hold noted before it comes starts another timer, and from then on there are two, each
-- with rounds of its own, for as long as anything is held when they come.
local function cancel(kind, me, name, owner)
  local state = state_of(kind, me)
  if owner == nil then
    state.entries[name] = nil
    rest(state)
  else
    forget(state, name, owner)
  end
end

-- kind: { name, its field among what the process's tasks share; op, the driver's word for its request;
-- asks_for(entry), the owners on whose behalf a lock is renewed; request(batch, me), what to send for a list of {
-- name, owners, aliases, values }; batch_max, how long that list may be, where it is another }.
function M.of(kind)
  return {
    -- alias: the owner's name in the keyspace, where it is another. values: what is renewed, of the first who
    -- is noted. Upstream one ConcurrentHashMap.compute, the first timer included (RenewalTask.add).
    add = function(me, name, owner, alias, values)
      me:atomic(add, kind, me, name, owner, alias, values)
    end,
    -- Notes that a release of `owner` was answered, whatever the answer; owner nil: the lock was released by force.
    -- Upstream one ConcurrentHashMap.compute, too; the thread that stops the timer then looks again
    -- (RenewalTask.cancelExpirationRenewal).
    cancel = function(me, name, owner)
      me:atomic(cancel, kind, me, name, owner)
    end,
  }
end

return M

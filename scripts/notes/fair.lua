-- fair.lua: seed 004's fair lock, completed from its sketch; its scripts under fair/.
-- The sketch: a list `<lock>:queue` of waiting owners, a hash `<lock>:queue:<owner>` with a waiter's state, RPUSH to
-- join, "am I the head?" to acquire, a channel `<lock>:channel` that carries the next owner's id, LREM and PUBLISH to
-- release. It leaves open, and here it is done so: joining, the test for the head and acquiring are one script; the
-- lock itself is the hash of the seed's reentrant lock; the holder stays at the head until it releases; a waiter that
-- gives up leaves the queue; the lease is 30 s with the seed's watchdog. Nothing removes a dead owner from the queue,
-- as in the sketch.
local client = require "notes.client"
local keyspace = require "keyspace"

local acquire = script "notes/fair/acquire.lua"
local release = script "notes/fair/release.lua"
local leave = script "notes/fair/leave.lua"

local kind = {}

local function queue_key(name)
  return name .. ":queue"
end

local function node_key(name, owner)
  return name .. ":queue:" .. owner
end

function kind.channel(name)
  return name .. ":channel"
end

function kind.acquire(lock, lease_ms)
  return { script = acquire, keys = { lock.name, queue_key(lock.name), node_key(lock.name, lock.me.id) },
           argv = { lease_ms, lock.me.id } }
end

function kind.release(lock, lease_ms)
  return { script = release,
           keys = { lock.name, queue_key(lock.name), node_key(lock.name, lock.me.id), kind.channel(lock.name) },
           argv = { lease_ms, lock.me.id } }
end

function kind.leave(lock)
  return { script = leave, keys = { queue_key(lock.name), node_key(lock.name, lock.me.id), kind.channel(lock.name) },
           argv = { lock.me.id } }
end

-- One subscription serves the process; a bell per waiting owner tells whose turn it is.
function kind.bell(lock, entry)
  entry.bells = entry.bells or {}
  local owner = lock.me.id
  entry.bells[owner] = entry.bells[owner] or lock.me:semaphore(0)
  return entry.bells[owner]
end

function kind.on_message(entry, owner)
  if entry.bells and entry.bells[owner] then
    entry.bells[owner]:release(1)
  end
end

local M = { spec = "fair" }

function M.view(redis, name)
  local keys = keyspace.existing(redis, { name })
  keyspace.add_prefixed(redis, keys, queue_key(name))
  local queue = keyspace.queue(redis, queue_key(name))
  local holders = keyspace.counts(redis, name)
  local waiting = {}
  for _, owner in ipairs(queue) do
    if holders[owner] == nil then
      waiting[#waiting + 1] = owner
    end
  end
  return { holders = holders, ttl_ms = redis.call("PTTL", name), queue = waiting, keys = keys }
end

M.lock = client.constructor(M, kind)

return M

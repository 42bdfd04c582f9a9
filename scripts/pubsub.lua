-- pubsub.lua: how a process waits for unlock messages, as Redisson does it: one entry per name, shared by all of its
-- threads. An entry counts its users (acquired), holds one subscription, and a semaphore (latch) at which the threads
-- park. A message adds a permit even when nobody is parked yet, so that one which comes between "the script said wait"
-- and "the thread parks" is not lost. Subscribing and unsubscribing of one channel take turns (Redisson shares fifty
-- such mutexes among all channels). No caller's thread stands within it: upstream all of it runs in callbacks of the
-- AsyncSemaphore and of the SUBSCRIBE, on threads of Netty (PublishSubscribe.subscribe and unsubscribe), while the
-- caller waits for the future that they complete.
local pubsub_late = require "pubsub_late"
local shared = require "shared"

local M = {}

-- The entries of the process, by name, and the mutex of the channel. Upstream the mutexes are there from the start
-- (PublishSubscribeService's AsyncSemaphore array), so making one is no step of any thread.
local function find_both(me, channel)
  local pubsub = shared(me, "pubsub")
  if pubsub.entries == nil then
    pubsub.entries, pubsub.mutexes = {}, {}
  end
  local mutex = pubsub.mutexes[channel]
  if mutex == nil then
    mutex = me:semaphore(1)
    pubsub.mutexes[channel] = mutex
  end
  return pubsub.entries, mutex
end

local function entries_and_mutex(me, channel)
  return me:atomic(find_both, me, channel)
end

-- Takes the mutex, waiting wait_ms at most (nil: for ever). Returns true and what is left of wait_ms; or false and
-- why.
local function enter(me, mutex, wait_ms)
  local began_ms = me:now()
  local entered, why = mutex:acquire(wait_ms)
  if not entered then
    return false, why or "timeout"
  end
  return true, wait_ms and math.max(0, wait_ms - (me:now() - began_ms))
end

local function deliver(entry)
  entry.latch:release(1)
end

-- Joins the entry `name`, or makes it and subscribes to `channel`, waiting wait_ms at most (nil: for ever).
-- `on_message(entry, message, task)` is what a message does, in a task of its own; without it, a permit for the latch.
-- Returns the entry; or nil and why, and then late(me, channel, mutex, why, wait_ms) sees to what is still under way.
local function join(late, me, name, channel, wait_ms, on_message)
  local entries, mutex = entries_and_mutex(me, channel)
  local entered, left_ms = enter(me, mutex, wait_ms)
  if not entered then
    return nil, left_ms                        -- why not
  end
  local entry = entries[name]
  if entry ~= nil then
    entry.acquired = entry.acquired + 1
    mutex:release(1)
    return entry
  end

  entry = { name = name, channel = channel, acquired = 1, latch = me:semaphore(0) }
  entries[name] = entry
  local act = on_message or deliver
  local confirmed, problem = me:subscribe(channel, function(task, message)
    act(entry, message, task)
  end, left_ms)
  if confirmed then
    mutex:release(1)
    return entry
  end
  entries[name] = nil
  late(me, channel, mutex, problem.kind, wait_ms)
  return nil, problem.kind
end

-- A subscription that is confirmed too late is undone, and until then nobody else subscribes.
local function undo(me, channel, mutex)
  me:spawn("unsubscribe", function(task)
    task:unsubscribe(channel)
    mutex:release(1)
  end)
end

function M.subscribe(me, name, channel, wait_ms, on_message)
  return me:atomic(join, undo, me, name, channel, wait_ms, on_message)
end

-- Redisson's own subscription time-out undoes a SUBSCRIBE. A caller who goes sooner leaves it as it is
-- (pubsub_late.lua): that is what the traces lock_25 and lock_39 show. Their SUBSCRIBEs are under way for 0.5 and 2 s,
-- and none takes longer; what the real client does from then on is not recorded. By its sources it gives a SUBSCRIBE
-- up that is not confirmed in 3 s, the time of a response, and unsubscribes; here it waits for 7.5 s. So the driver
-- accuses nobody of a subscription that stays, and a request UNSUBSCRIBE at that very moment is its own.
local subscription_timeout_ms = 7500

local function leave_or_undo(me, channel, mutex, why, wait_ms)
  local settle = why == "timeout" and wait_ms >= subscription_timeout_ms and undo or pubsub_late
  settle(me, channel, mutex)
end

function M.subscribe_for_good(me, name, channel, wait_ms, on_message)
  return me:atomic(join, leave_or_undo, me, name, channel, wait_ms, on_message)
end

local function leave(task, entries, mutex, entry)
  while not mutex:acquire() do end             -- whoever interrupts this clean-up must not leave the count wrong
  entry.acquired = entry.acquired - 1
  if entry.acquired == 0 then
    entries[entry.name] = nil
    task:unsubscribe(entry.channel)
  end
  mutex:release(1)
end

-- Leaves the entry; the last one out unsubscribes. The caller does not wait for any of it.
function M.unsubscribe(me, entry)
  local entries, mutex = entries_and_mutex(me, entry.channel)
  me:spawn("unsubscribe", function(task)
    task:atomic(leave, task, entries, mutex, entry)
  end)
end

return M

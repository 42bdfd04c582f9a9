-- pubsub.lua: how a process waits for unlock messages, as Redisson does it: one entry per name, shared by all of its
-- threads. An entry counts its users (acquired), holds one subscription, and a semaphore (latch) at which the threads
-- park. A message adds a permit even when no thread is parked yet, so that one which comes between "the script said
-- wait" and "the thread parks" is not lost. Subscribing and unsubscribing of one channel take turns (fifty such
-- mutexes serve all channels). No caller's thread stands within it: upstream all of it runs in callbacks of the
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
-- Returns the entry; or nil and why: a subscription that is confirmed too late is undone, and until then nobody else
-- subscribes.
local function join(me, name, channel, wait_ms, on_message)
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
  me:spawn("unsubscribe", function(task)
    task:unsubscribe(channel)
    mutex:release(1)
  end)
  return nil, problem.kind
end

function M.subscribe(me, name, channel, wait_ms, on_message)
  return me:atomic(join, me, name, channel, wait_ms, on_message)
end

-- Redisson's own way. A SUBSCRIBE that is not confirmed in 3 s, the time of a response, is given up: the client
-- unsubscribes, and whoever waits for it, or for its turn after it, hears "timeout". Whoever goes before the
-- confirmation leaves all of it as it is: nobody else subscribes or unsubscribes before it is confirmed or given up;
-- once it is confirmed the connection stays subscribed (pubsub_late.lua), and who comes next sends no SUBSCRIBE. By the
-- traces lock_25 and lock_39 of 4.7.0, whose SUBSCRIBEs are under way for 0.5 and 2 s, and by PubSubConnectionEntry and
-- PublishSubscribe as they stand in 2026.
local response_timeout_ms = 3000

-- What the process's connection is subscribed to, or has asked to be, by channel: the entry that hears it, and once
-- its SUBSCRIBE is given up, `failed`, at which those wait who are to hear of it.
local function connections(me)
  local pubsub = shared(me, "pubsub")
  pubsub.connections = pubsub.connections or {}
  return pubsub.connections
end

-- Sends the SUBSCRIBE, and waits wait_ms at most (nil: for ever). Returns true; or nil, why, and what is still under
-- way where that can be known: who has less time than a SUBSCRIBE waits for it apart.
local function subscribe(me, entry, act, wait_ms)
  local connection = { entry = entry }
  local function on_message(task, message)
    act(connection.entry, message, task)
  end
  connections(me)[entry.channel] = connection
  if wait_ms and wait_ms < response_timeout_ms then
    local sent = me:send_subscribe(entry.channel, on_message, response_timeout_ms)
    local confirmed, problem = sent:wait(wait_ms)
    if type(problem) == "string" then          -- the caller goes, and the SUBSCRIBE is under way
      return nil, problem, sent
    end
    return confirmed, problem and problem.kind
  end
  local confirmed, problem = me:subscribe(entry.channel, on_message, response_timeout_ms)
  return confirmed, problem and problem.kind
end

-- Upstream the turn goes on before the UNSUBSCRIBE asks for one of its own, so that those who queue come first and find
-- what has failed.
local function give_up(task, entry, mutex)
  local connection = connections(task)[entry.channel]
  mutex:release(1)
  while not mutex:acquire() do end
  task:unsubscribe(entry.channel, response_timeout_ms)
  connections(task)[entry.channel] = nil
  shared(task, "pubsub").entries[entry.name] = nil
  connection.failed:release(connection.failed:waiting())
  mutex:release(1)
end

-- Waits until what has failed is over. Returns nil and why.
local function fail(connection, wait_ms)
  local _, interrupted = connection.failed:acquire(wait_ms)
  return nil, interrupted or "timeout"
end

-- The caller has gone, and what becomes of its SUBSCRIBE can be known.
local function see_to(sent, entry, mutex)
  sent:on_answer(function(task, confirmed)
    if confirmed then
      pubsub_late(task, entry, mutex)
    else
      connections(task)[entry.channel].failed = task:semaphore(0)
      task:atomic(give_up, task, entry, mutex)
    end
  end)
end

-- The first user of an entry, whose turn it is. `stays`: who goes before the confirmation leaves its place in the entry
-- taken, for good (future.get(time) upstream, which does not complete the future).
local function begin(me, entry, mutex, wait_ms, act, stays)
  local from_ms = me:now()
  local confirmed, why, sent = subscribe(me, entry, act, wait_ms)
  if confirmed then
    mutex:release(1)
    return entry
  elseif sent == nil and why ~= "interrupted" then
    local connection = connections(me)[entry.channel]
    connection.failed = me:semaphore(0)
    me:spawn("unsubscribe", function(task)
      task:atomic(give_up, task, entry, mutex)
    end)
    return fail(connection, wait_ms and math.max(0, wait_ms - (me:now() - from_ms)))
  end
  if not stays then
    shared(me, "pubsub").entries[entry.name] = nil
  end
  if sent then
    see_to(sent, entry, mutex)
  else
    pubsub_late(me, entry, mutex)
  end
  return nil, why
end

local function join_for_good(me, name, channel, wait_ms, on_message, stays)
  local entries, mutex = entries_and_mutex(me, channel)
  local entered, left_ms = enter(me, mutex, wait_ms)
  if not entered then
    if stays then
      me:spawn("subscribe", function(task)
        task:atomic(join_for_good, task, name, channel, nil, on_message)
      end)
    end
    return nil, left_ms                        -- why not
  end
  local entry, connection = entries[name], connections(me)[channel]
  if entry ~= nil then
    entry.acquired = entry.acquired + 1
    mutex:release(1)
    if connection.failed then
      return fail(connection, left_ms)
    end
    return entry
  elseif connection and connection.failed then
    mutex:release(1)
    return nil, "timeout"
  end
  entry = { name = name, channel = channel, acquired = 1, latch = me:semaphore(0) }
  entries[name] = entry
  if connection == nil then
    return begin(me, entry, mutex, left_ms, on_message or deliver, stays)
  end
  connection.entry = entry
  mutex:release(1)
  return entry
end

function M.subscribe_for_good(me, name, channel, wait_ms, on_message, stays)
  return me:atomic(join_for_good, me, name, channel, wait_ms, on_message, stays)
end

local function leave(task, entries, mutex, entry)
  while not mutex:acquire() do end             -- an interrupt of this clean-up must not leave the count wrong
  entry.acquired = entry.acquired - 1
  if entry.acquired == 0 then
    entries[entry.name] = nil
    task:unsubscribe(entry.channel)
    local by_channel = shared(task, "pubsub").connections
    if by_channel then
      by_channel[entry.channel] = nil
    end
  end
  mutex:release(1)
end

-- Leaves the entry; the last thread to leave unsubscribes. The caller does not wait for any of it.
function M.unsubscribe(me, entry)
  local entries, mutex = entries_and_mutex(me, entry.channel)
  me:spawn("unsubscribe", function(task)
    task:atomic(leave, task, entries, mutex, entry)
  end)
end

return M

-- latch.lua: Redisson's count-down latch (RCountDownLatch), its scripts under latch/: one number; waiters go on when
-- it is gone. The processes that wait hear one channel, and each has a gate that a message opens or closes.
local evaluate = require "evaluate"
local join = require "redisson.join"
local patience = require "redisson.patience"
local pubsub = require "pubsub"
local resend = require "redisson.client.resend"
local transport = require "redisson.client.transport"

local count_down = script "redisson/latch/count_down.lua"
local set_count = script "redisson/latch/set_count.lua"
local delete = script "redisson/latch/delete.lua"

local M = {}

local publish = "PUBLISH"
local zero_message, new_count_message = 0, 1

local Latch = {}
Latch.__index = Latch

local function channel_of(name)
  return "redisson_countdownlatch__channel__{" .. name .. "}"  -- braces always, also around those of a hash tag
end

-- An open gate lets every waiter through: it keeps a permit for each that comes.
local function turn(entry, message)
  if tonumber(message) == zero_message then
    entry.open = true
    entry.latch:release(entry.latch:waiting())
  else
    entry.open = false
  end
end

-- Upstream one atomic call each: ReclosableLatch's open(), close() and await().
local function on_message(entry, message, task)
  task:atomic(turn, entry, message)
end

local function pass(entry, left_ms)
  if not entry.open then
    local _, interrupted = patience(entry.latch, left_ms)
    return interrupted
  end
end

local function reason(problem)
  return transport.reason(problem)
end

-- countDown() is sent once, any other request again while no answer comes.
local function send(self, op, script, argv, again)
  return evaluate.eval(self.me, script, { self.name, channel_of(self.name) }, argv,
                       { op = op, lock = self.name, resend = again ~= nil or nil, again = again })
end

local function insist(self, op, script, argv)
  return resend.until_answered(self.me, function(again)
    return send(self, op, script, argv, again)
  end)
end

-- Whether the count has gone; nil and a problem. `first`: a count below 0, which only a program can set, has not gone
-- yet for who looks for the first time (getCount() == 0), and has for who looks again (> 0).
local function look(self, first)
  local me, name = self.me, self.name
  local count, problem = resend.until_answered(me, function(again)
    return me:call("GET", name, { op = "acquire", lock = name, resend = true, again = again })
  end)
  if problem then
    return nil, problem
  end
  local n = tonumber(count) or 0
  if n == 0 or n < 0 and not first then
    me:granted(name)
    return true
  end
  if n > 0 then
    me:refused(name)
  end
  return false
end

local function failed(self, problem)
  self.me:gave_up(self.name)
  return nil, reason(problem)
end

-- await(wait): returns true, false when the time is up, or nil and why. Without wait_ms for as long as it takes.
function Latch:await(wait_ms)
  local me, name = self.me, self.name
  local until_ms = wait_ms and me:now() + wait_ms
  me:wants(name)
  local through, problem = look(self, true)
  if through == nil then
    return failed(self, problem)
  elseif through then
    return true
  end
  -- For the confirmation it waits the whole time again, whatever the first look took of it.
  local entry, unsubscribed = join(me, channel_of(name), wait_ms, until_ms, on_message)
  if entry == nil then
    return failed(self, unsubscribed)
  elseif not entry then
    me:gave_up(name)
    return false
  end
  local left_ms = until_ms and until_ms - me:now()       -- from here on its pauses count, and its looks do not
  repeat
    through, problem = look(self)
    local over = left_ms and left_ms <= 0        -- it looks again when its time is up
    if through == false and not over then
      local from_ms = me:now()
      problem = me:atomic(pass, entry, left_ms)
      left_ms = left_ms and left_ms - (me:now() - from_ms)
    end
  until through ~= false or problem or over
  pubsub.unsubscribe(me, entry)
  if problem then
    return failed(self, problem)
  end
  if not through then
    me:gave_up(name)
  end
  return through
end

-- countDown(): returns true; or nil and why no answer came.
function Latch:count_down()
  local _, problem = send(self, "count_down", count_down, { zero_message, publish })
  if problem then
    return nil, reason(problem)
  end
  self.me:released(self.name)
  return true
end

-- trySetCount(count): true if the latch had none; else false; or nil and why.
function Latch:try_set_count(count)
  local reply, problem = insist(self, "set_count", set_count, { new_count_message, count, publish })
  if problem then
    return nil, reason(problem)
  end
  return reply == 1
end

-- delete(): true if there was a latch; else false; or nil and why.
function Latch:delete()
  local reply, problem = insist(self, "delete", delete, { new_count_message, publish })
  if problem then
    return nil, reason(problem)
  end
  return reply == 1
end

local driver = { spec = "latch", runtime = "threads" }

-- The count is the latch's holder.
function driver.view(redis, name)
  local count = tonumber(redis.call("GET", name)) or 0
  return { holders = count > 0 and { count = count } or {}, modes = { count = "permit" },
           ttl_ms = redis.call("PTTL", name) }
end

function M.latch(me, name)
  me:observe(name, driver)
  return setmetatable({ me = me, name = name }, Latch)
end

return M

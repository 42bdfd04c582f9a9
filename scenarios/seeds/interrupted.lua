-- What an interrupt ends at once, and what goes on without its caller: as client/transport.lua, token.lua and
-- no_sync.lua have it from the traces.
local faster = require "redisson.faster_multi"
local fenced = require "redisson.fenced"
local permits = require "redisson.permits"
local redisson = require "redisson.lock"

local name = "order:42"

-- An interrupt sends away a thread that parks until the next permit runs out. It asked twice, with a permit of a new
-- name each time.
local function parked(me)
  local pool = permits.semaphore(me, "pool", { permits = 1, lease_ms = 1000 })
  if me.client == "A" then
    pool:try_set_permits()
    local permit = pool:acquire()
    me:work(900)
    pool:release(permit)
    return
  end
  local permit, why = pool:acquire()
  assert(permit == nil and why == "interrupted")
  assert(me:unique("permit"):sub(-2) == ":3")
end

-- An acquire that is not answered is sent again, also when its caller is interrupted in the pause before.
local function sent_again(me)
  local lock = faster.lock(me, "group", { "x", "y" }, { lease_ms = 60000 })
  local got, why = lock:acquire()
  if not got then
    assert(why == "interrupted")
    me:sleep(20000)
    assert(me:call("HGET", "group", "x") == me.id)
  end
  lock:release()
end

-- lock() goes on after the interrupt that ends its first wait; the one that ends its second ends lock(), too.
local function twice(me)
  local lock = redisson.lock(me, name)
  if me.client == "A" then
    lock:acquire { lease_ms = 5000 }
    return
  end
  local got, why = lock:acquire()
  assert(got == nil and why == "interrupted")
end

-- lockInterruptibly() of the faster multi-lock is lock(): an interrupt does not end it. With a lease it does.
local function deaf(lease_ms)
  return function(me)
    local lock = faster.lock(me, "group", { "x" })
    if me.client == "A" then
      lock:acquire { lease_ms = 5000 }
      return
    end
    local got, why = lock:acquire { interruptibly = true, lease_ms = lease_ms }
    assert(got == (lease_ms == nil or nil) and (got or why == "interrupted"))
    if got then
      lock:release()
    end
  end
end

local function subscribers(me)
  return me:call("PUBSUB", "NUMSUB", "redisson_lock__channel:{" .. name .. "}")[2]
end

-- A caller of lockAndGetToken() who goes while it is parked leaves its subscription until the pause would have ended.
local function leaves_his_subscription(me)
  if me.client == "A" then
    fenced.without_token(me, name, { lease_ms = 5000 }):acquire()
    return
  end
  local got, why = fenced.lock(me, name):acquire()
  assert(got == nil and why == "interrupted")
  me:sleep(100)
  assert(subscribers(me) == 1)
  me:sleep(10000)
  assert(subscribers(me) == 0)
end

-- What no replica has is taken back, and that has reached none either, when the caller is interrupted.
local function taken_back(me)
  local lock = redisson.lock(me, name, { replicas = 1 })
  local got, why = lock:acquire()
  assert(got == nil and why == "interrupted")
  me:sleep(60000)
  lock:force_release()
end

local beside = { { "A", start_ms = 0 }, { "B", start_ms = 10 } }
local alone = { { "A", start_ms = 0 } }

return {
  title = "what an interrupt ends, and what goes on",
  cases = {
    permits_parked = {
      clients  = beside, program = parked, faults = { interrupt = { 1, of = "B" } }, must_see = { "interrupt" },
      explore  = { schedule = "A A +10 B B.acquire B<answer.acquire B B.subscribe B<answer.subscribe B.acquire " ..
                              "B<answer.acquire B +500 !interrupt B" },
    },
    twice = {
      clients  = beside, program = twice, faults = { interrupt = { 2, of = "B" } }, must_see = { "interrupt" },
      explore  = { schedule = "A +10 B B.acquire B<answer.acquire B B.subscribe B<answer.subscribe B.acquire " ..
                              "B<answer.acquire B +500 !interrupt B +500 !interrupt B" },
    },
    deaf_without_lease = {
      clients  = beside, program = deaf(nil), faults = { interrupt = { 1, of = "B" } },
      must_see = { "interrupt" },
      explore  = { schedule = "A +10 B B.acquire B<answer.acquire B B.subscribe B<answer.subscribe B.acquire " ..
                              "B<answer.acquire B +500 !interrupt B" },
    },
    deaf_with_lease = {
      clients  = beside, program = deaf(5000), faults = { interrupt = { 1, of = "B" } },
      must_see = { "interrupt" },
      explore  = { schedule = "A +10 B B.acquire B<answer.acquire B B.subscribe B<answer.subscribe B.acquire " ..
                              "B<answer.acquire B +500 !interrupt B" },
    },
    resent = {
      clients  = alone, program = sent_again, must_see = { "interrupt", "lose_request", "resend" },
      faults   = { interrupt = 1, lose_request = { 1, op = "acquire" } },
    },
    token_subscription = {
      clients  = beside, program = leaves_his_subscription, must_see = { "interrupt", "wait" },
      faults   = { interrupt = { 1, of = "B" } },
      explore  = { schedule = "A +10 B B.acquire B<answer.acquire B B:subscribe B:subscribe.subscribe " ..
                              "B:subscribe<answer B.wait B.acquire B<answer.acquire B.wait +500 !interrupt B" },
    },
    taken_back = {
      clients  = alone, program = taken_back, replicas = 1, must_see = { "interrupt", "lag" },
      faults   = { interrupt = 1, lag = { 1, ms = 5000 } },
      explore  = { schedule = "!lag 1 A.acquire A<answer.acquire A +1000 A A.release A<answer.release A !interrupt A" },
    },
  },
}

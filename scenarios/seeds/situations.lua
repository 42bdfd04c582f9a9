-- situations.lua: what every lock meets, as cases: alone, in a crowd, holds within holds, an end that comes too early,
-- deaths, strangers.
local M = {}

-- Take the lock, work inside for 100 ms, give it back.
function M.once(new)
  return function(me)
    local lock = new(me)
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end
end

local function alone(new)
  return function(me)
    local lock = new(me)
    for _ = 1, 2 do
      assert(lock:try_acquire() == true)
      me:work(100)
      assert(lock:release() == true)
    end
  end
end

local function twice(new)
  return function(me)
    local lock = new(me)
    for _ = 1, 2 do
      if lock:acquire() then
        me:work(100)
        lock:release()
      end
    end
  end
end

local function three_deep(new)
  return function(me)
    local lock = new(me)
    for _ = 1, 3 do
      lock:acquire()
    end
    me:work(100)
    for _ = 1, 3 do
      lock:release()
    end
  end
end

local function overtime(new)
  return function(me)
    local lock = new(me)
    if lock:acquire() then
      me:work(1500)
      lock:release()                           -- for the one who overstayed: nil, "not owner"
    end
  end
end

local function stranger(new)
  return function(me)
    local lock = new(me)
    if me.client == "A" then
      lock:acquire()
      me:work(100)
      assert(lock:release() == true)
    else
      local freed, why = lock:release()
      assert(freed == nil and why == "not owner")
    end
  end
end

local function impatient(new)
  return function(me)
    local lock = new(me)
    if me.client ~= "B" and lock:acquire() or me.client == "B" and lock:try_acquire(50) then
      me:work(100)
      lock:release()
    end
  end
end

local function situation(title, clients, sees, program, more)
  local case = more or {}
  case.title, case.clients, case.must_see = title, clients, sees
  case["program"] = program
  return case
end

-- Of a lock that new(me) makes; short(me) makes one with a lease of a second.
local function all(new, short)
  local late = { { "A", start_ms = 0 }, { "B", start_ms = 10 } }
  return {
    -- No other client wants the lock: each acquire must be granted at once, and nothing may stay behind.
    uncontended = situation("uncontended", { "A" }, {}, alone(new)),
    -- Two clients want the lock at once: one must wait, and must be let in when the other has finished.
    contended_2 = situation("two clients", { "A", "B" }, { "contention", "wait" }, M.once(new)),
    -- Three clients want the lock at once, twice each: the first to ask should be served first, and none forgotten.
    -- (One of them comes at any moment: all three at any moment are many millions of states.)
    contended_3 = situation("three clients", { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
                            { "contention", "wait" }, twice(new)),
    -- The owner takes the lock three deep while another waits: it must be free exactly after the third release.
    reentrant = situation("three deep", { { "A", start_ms = 0 }, "B" }, { "contention", "re-entry" }, three_deep(new)),
    -- The holder dies with the lock: the other must get in once the lease has run out.
    holder_crash = situation("the holder dies", late, { "crash", "expiry" },
      M.once(new), { faults = { crash = { 1, of = "A" } } }),
    -- A waiter dies: those behind it must not wait for the dead.
    waiter_crash = situation("a waiter dies", { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
                             { "crash", "wait" },
      M.once(new), { faults = { crash = { 1, of = "B" } } }),
    -- A waiter's patience ends before the lock is free: those behind it must not wait for it.
    gives_up = situation("a waiter gives up", { { "A", start_ms = 0 }, "B", "C" },
                         { "contention", "wait" }, impatient(new)),
    -- The work takes longer than the lease: the lock goes to the next while the first still believes to hold it.
    lease_expiry = situation("the work outlasts the lease", { "A", { "B", start_ms = 100 } }, { "expiry", "wait" },
      overtime(short)),
    -- A client that holds nothing releases the lock: the holder must not notice.
    non_owner = situation("a release by a stranger", { "A", "B" }, { "grant", "release" }, stranger(new)),
    -- The holder is paused past its lease: when it wakes it still believes to hold what another has taken.
    pause = situation("a pause longer than the lease", late, { "pause", "expiry" },
      M.once(new), { faults = { pause = { 1, of = "A" } } }),
    -- The unlock message is lost: the waiter must find out by itself.
    lost_message = situation("the message is lost", late, { "lose_message", "wait" },
      M.once(new), { faults = { lose_message = 1 } }),
  }
end

-- The situations that `rows` names, and the cases that it adds. A row's fields stand in for the situation's.
function M.cases(title, new, short, rows)
  local known, cases = all(new, short), {}
  for name, row in pairs(rows) do
    local case = known[name] or {}
    for field, value in pairs(row) do
      case[field] = value
    end
    case.title = title .. ": " .. case.title
    cases[name] = case
  end
  return cases
end

return M

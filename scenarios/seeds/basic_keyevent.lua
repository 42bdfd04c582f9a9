-- basic/keyevent: a lock that the server's own notifications wake, right and broken. When an expired key is really
-- removed, and its event sent, is the server's choice.
local keyevent = require "basic.keyevent"

local function once(options)
  return function(me)
    local lock = keyevent.lock(me, "order:42", options)
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end
end

return {
  title   = "woken by keyspace notifications",
  clients = { "A", "B" },
  notify_keyspace_events = "Egx",
  program = once(),
  cases   = {
    contended = {
      expect   = { strict_mutual_exclusion = "holds", no_lost_wakeup = "holds", no_deadlock = "holds" },
      must_see = { "contention", "wait" },
    },
    -- No client deletes the dead holder's key: the event of its expiry wakes the waiter.
    crash = {
      faults   = { crash = 1 },
      expect   = { mutual_exclusion = "holds", no_lost_wakeup = "holds", no_deadlock = "holds" },
      must_see = { "contention", "wait", "expiry", "crash" },
    },
    -- Broken: it hears of deletions only, and a key that expires is not deleted.
    crash_deaf_to_expiry = {
      program  = once({ events = { "__keyevent@0__:del" } }),
      faults   = { crash = 1 },
      expect   = { no_deadlock = "violated", no_lost_wakeup = "violated" },
    },
    -- Broken: it is refused, subscribes, and sleeps without asking again; it never learns what happened meanwhile.
    sleeps_at_once = {
      program  = once({ looks_again = false }),
      expect   = { no_deadlock = "violated" },
    },
    -- Broken: the server publishes events of other kinds, and none of these.
    server_is_silent = {
      notify_keyspace_events = "Kh",
      expect   = { no_deadlock = "violated", no_lost_wakeup = "violated" },
    },
  },
}

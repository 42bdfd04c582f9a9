-- A thread that is interrupted while a multi-lock asks for one of its locks is told false, as if somebody else had it: the interrupt counts as
-- a refusal, and for a refusal nothing is unlocked. Yet the script takes the lock, its answer comes to the process all the same, and
-- starts the watchdog. Nobody has the lock, it never ends, and B waits for ever. R28 of the museum is what a single lock does then; there the
-- caller gets an exception and may unlock, here he hears of nothing that he would have to give back.
--
-- How likely: an interrupt (a cancelled job, a shutdown of one pool, a time-out of the caller's own) within the round trip of an
-- acquire; where tasks are cancelled as a matter of course, daily. To unlock at once, as after a response time-out, does not help: the
-- unlock may overtake the acquire. The mend: when the answer comes and its caller has gone, the lock is given back; and an unlock that is
-- interrupted goes on to the next lock (multi_lock_interrupted_mended/).
-- Checked against redisson 4.7.0 by traces of the real client (multi_08, lock_23).
local group = require "redisson.multi"
local redisson = require "redisson.lock"

return {
  title   = "an interrupted multi-lock keeps what it asked for",
  servers = 2,
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local x, y = redisson.lock(me:on(1), "X"), redisson.lock(me:on(2), "Y")
    if me.client == "B" then
      if y:acquire() then
        me:work(100)
        y:release()
      end
      return
    end
    local both = group.lock(me, "X and Y", { x, y })
    if both:try_acquire() then
      me:work(100)
      both:release()
    end
  end,
  faults  = { interrupt = { 1, of = "A" } },
  expect  = {
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 30001 },
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}

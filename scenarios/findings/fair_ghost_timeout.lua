-- A fair lock's acquire queues its caller. If its answer is lost, lock() ends in an exception after 3 s, and nothing
-- takes the caller out of the queue: neither here nor after an interrupt, nor when the first try of tryLock hears
-- nothing. He is gone, though his process lives, and the next unlock is told to him alone. Everybody else waits until
-- his slot ends, which is five minutes behind the lease: beside a free lock, and asking without a pause. R50 of the
-- museum needs a dead process for this; here one lost answer is enough, and each caller who tries once more in the
-- meantime is queued behind.
--
-- How likely: as likely as one time-out of an acquire that has to wait, which a short stall of the server makes of all
-- of them at once. The mend: send the abandon on every way out, as tryLock does when its time is up (the twin).
-- Checked against redisson 4.7.0 by reading its client and by recordings of its script (fair.acquire).
local fair = require "redisson.fair"

return {
  title   = "one lost answer leaves a ghost at the head of the fair queue",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = fair.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_reply = { 1, of = "B" } },
  expect  = {
    -- For 330 s.
    prompt = "violated",
    no_busy_wait = "violated",
  },
  must_see = { "lose_reply", "contention" },

  -- The same with our mend: whoever leaves with an exception is taken out of the queue. A lock that he was given
  -- without hearing of it still has to end by its lease.
  twin = {
    title   = "whoever leaves with an exception leaves the queue",
    expect  = {
      prompt = { "holds", idle_ms = 30001 },
      no_busy_wait = false,
    },
    patch   = {
      ["redisson/client/steps.lua"] = [[
@@

--- The same of tryLock() without a wait, where it has a script of its own.
-local function read_once(lock, reply)
-  local own = lock.family.read_once or lock.family.read
-  if own then
-    return own(reply)
-  end
-  return reply
-end
-
-local function reader(lock, request_of)
-  return request_of == lock.family.try_once and read_once or read
+local function settle(task, lock, owner, lease_ms, reply, problem, gone)
+  answers.acquired(task, lock, owner, lease_ms, (read(lock, reply)), problem, gone)
 end
@@
 -- What the answer sets off, and, once the caller has gone, orphaned(task, the milliseconds to wait or nil, problem) as
--- well, if it is there.
-local function settle(reads, orphaned)
+-- well.
+local function settle_and(orphaned)
   return function(task, lock, owner, lease_ms, reply, problem, gone)
-    local left_ms
-    if problem == nil then
-      left_ms = (reads(lock, reply))
-    end
-    answers.acquired(task, lock, owner, lease_ms, left_ms, problem, gone)
-    if gone and orphaned then
-      orphaned(task, left_ms, problem)
+    settle(task, lock, owner, lease_ms, reply, problem, gone)
+    if gone then
+      orphaned(task, (read(lock, reply)), problem)
     end
@@
   local request = request_of(lock, ttl_ms, wait_ms, lease_ms)
-  function request.anew(again)
-    return request_of(again, lease.ttl(again.object, lease_ms), wait_ms, lease_ms)
-  end
-  local reads = reader(lock, request_of)
-  local answer, failure = transport.ask(lock, "acquire", ttl_ms, request, settle(reads, orphaned), lock.me.id,
-                                        lease_ms)
+  local callback = orphaned and settle_and(orphaned) or settle
+  local answer, failure = transport.ask(lock, "acquire", ttl_ms, request, callback, lock.me.id, lease_ms)
   if failure then
@@
   end
-  local left_ms, token = reads(lock, answer)
+  local left_ms, token = read(lock, answer)
   if lock.token ~= token then
@@

--- An exception: the caller gets nothing, and no abandon is sent. The lock may be ours in Redis until its lease ends.
+local function forget(lock, wait_ms)
+  if lock.family.abandon then
+    transport.ask_until_answered(lock, "abandon", lock.family.abandon(lock, wait_ms))
+  end
+end
+
+-- An exception: the caller gets nothing, and the queue must not wait for him. The lock may be ours in Redis until its
+-- lease ends.
 function M.failed(lock, problem)
+  forget(lock, -1)
   lock.me:gave_up(lock.name)
@@
 function M.abandoned(lock, wait_ms)
-  if lock.family.abandon then
-    transport.ask_until_answered(lock, "abandon", lock.family.abandon(lock, wait_ms))
-  end
+  forget(lock, wait_ms)
   lock.me:gave_up(lock.name)
]],
    },
  },
}

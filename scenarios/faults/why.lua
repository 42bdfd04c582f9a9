-- why.lua: what the locks of this folder share: why they break under faults, by name, as outcomes for `expect`; and
-- whose starts are pinned. In a case of two clients the first comes at once and the second at any moment, which rules
-- nothing out: they are equal, and before the first of them comes nothing happens.
local function breaks(text)
  return { "violated", why = text }
end

return {
  breaks = breaks,
  -- Where all clients of a case come at once, though starts are open elsewhere: three clients under a fault, and the
  -- locks on several servers (redisson.multi, redisson.red_lock, redlock of three and of five) with two. With one open
  -- start each of those worlds has some hundred thousand to many millions of states. What that hides: a client that
  -- comes while the others work, wait or wait out a fault. Of three clients the same fault with two shows it, where the
  -- second comes at any moment; of several servers scenarios/seeds does, where it does so without faults. A few cases
  -- of two clients are pinned, too, in their own rows: a pause beside another fault, and pauses of faster_multi.
  pinned = { start_ms = 0 },
  answer_on_top = breaks "A lost answer costs 3 s, on top of what a lease can still run.",
  asks_in_the_last_ms = breaks("A waiter asks every 30 s. In the last millisecond of the lease it asks in vain, " ..
      "and waits 30 s more."),
  asks_without_pause = breaks("Behind a head that is gone or frozen a waiter is told to wait 0 ms, and asks " ..
      "without a pause."),
  backs_off = breaks "A request without an answer is sent again after 3 s and a pause of 2 s, beside a free lock.",
  copy_answers_first = breaks("The copy can run first: then an acquire that took the lock is told \"refused\", a " ..
      "release \"not the owner\"."),
  copy_holds = breaks "The copy of an acquire is a hold of which its owner is not told.",
  copy_holds_and_answers = breaks("The copy of an acquire is a hold of which its owner is not told; a release " ..
      "whose copy ran first is told \"not the owner\"."),
  copy_takes_the_answer = breaks "A copy that runs first takes the answer from the original.",
  deadline_or_queue_gone = breaks("A waiter without its deadline is never dropped; one whose queue is gone waits " ..
      "for its own time to ask."),
  endless_lock_blocks = breaks "A lock that was taken and not given its end stays for ever.",
  endless_lock_stays = breaks "A lock without an end stays.",
  entry_without_deadline = breaks "A queue entry without its deadline is never dropped.",
  fast_clock_drops_head = breaks("By a fast clock the head of the queue has passed its deadline: it is dropped, " ..
      "and has to queue again."),
  goes_on_without_it = breaks "A client whose lock vanished between the two requests goes on as if it had it.",
  head_without_deadline = breaks("A queue entry without its deadline is never dropped: once it is the head, no " ..
      "client gets in any more."),
  interrupt_is_a_refusal = breaks("An interrupt during one lock's acquire counts as its refusal: if the script " ..
      "takes it, the watchdog renews it for ever."),
  interrupt_swallowed = breaks("An interrupt ends a waiter's claim to its turn, but the acquire swallows it and " ..
      "keeps its place."),
  interrupted_and_renewed = breaks("An interrupted acquire still takes the lock, and the watchdog renews it as " ..
      "long as its process lives."),
  key_gone = breaks "Without its key the lock is free while its holder works.",
  late_cleanup = breaks "A waiter that died or gave up without an answer leaves the queue only when another asks.",
  late_copy = breaks "The copy of an acquire can run after the release: it takes the lock, unknown to its owner.",
  late_copy_and_slow_waiter = breaks("The copy of an acquire can run after the release: it takes the lock, " ..
      "unknown to its owner, and waiters ask every 30 s."),
  late_for_nobody = breaks("An acquire that is executed after its sender gave up, or while it is frozen, takes the " ..
      "lock, unknown to its owner: a client that comes meanwhile waits for its end."),
  late_for_ever = breaks("An acquire that is executed after its sender gave up takes the lock, unknown to its " ..
      "owner, for ever."),
  late_in_the_lease = breaks "An answer that comes late in the lease leaves less of it than the work takes.",
  memory_gone = breaks "The lock went with the memory while its holder works.",
  newcomer_again = breaks("A waiter whose deadline is gone counts as a newcomer; a release of a lock that is " ..
      "gone is told \"released\"."),
  no_end_between = breaks "Between the two requests the lock has no end.",
  order_gone_with_memory = breaks "The order went with the memory.",
  order_gone_with_queue = breaks "The order went with the queue.",
  pexpire_asks_nobody = breaks "PEXPIRE does not ask whose lock it is.",
  released_though_lost = breaks "A release of a lock that is gone is told \"released\", though its owner had lost it.",
  renewed_after_release = breaks("A release of a paused process can be lost while the watchdog, awake again, " ..
      "renews the lock again."),
  renewed_for_nobody = breaks("An interrupted acquire still takes the lock, and the watchdog renews it for a " ..
      "thread that is gone."),
  replica_has_gone_waiters = breaks("The new server can have waiters in its queue that are gone; each keeps its " ..
      "slot for 300 s."),
  replica_never_knew = breaks "The new server never heard of the lock and gives it away while its holder works.",
  replica_queue_short = breaks "The new server's queue misses the last waiters.",
  replica_queue_stays = breaks("The new server can have waiters in its queue that have left; no client takes them " ..
      "out."),
  slot_of_old_self = breaks "The old self is dropped from the head of the queue only when its slot of 300 s is over.",
  slot_of_the_dead = breaks("A client that died or gave up is dropped from the head of the queue only when its " ..
      "slot of 300 s is over."),
  stops_between = breaks "A client that stops or is not heard between SETNX and PEXPIRE leaves a lock without an end.",
  subscribe_left = breaks "A SUBSCRIBE that is not confirmed before its caller gives up is never undone.",
  unsubscribe_lost = breaks "A lost UNSUBSCRIBE is not sent again: the subscription stays.",
  votes_after_failover = breaks("One server whose replica never heard of the vote is enough: it votes again, for " ..
      "the next client."),
  votes_after_wipe = breaks "One server that starts again empty is enough: it votes for the next client.",
  votes_without_key = breaks "Without its key on one server, that server votes for the next client.",
  waits_for_an_answer = breaks "A waiter whose request or answer is lost waits 3 s for it, beside a free lock.",
  woke_inside = breaks("The lease ends while its holder is frozen: it wakes inside its critical section, " ..
      "beside the next holder."),
}

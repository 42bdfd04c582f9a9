-- keep.lua: the last thing that a group's tryLock does: it sets the lease that counts, for each lock was taken with another. Whether it
-- could be set is not looked at, nor whether the locks are still there. asked_ms: the lease that the caller named, who counts it from here.
-- Returns whether the group is ours, and what is left of his lease when the answers are there.
return function(locks, lease_ms, asked_ms)
  local me, sent = locks[1].me, {}
  local from_ms = me:now()
  for i, lock in ipairs(locks) do
    sent[i] = lock.me:send("PEXPIRE", { lock.name }, { lease_ms }, { op = "renew", lock = lock.name, lease = asked_ms })
  end
  for i = #sent, 1, -1 do
    sent[i]:wait()
    sent[i] = nil          -- what it said is nothing to remember
  end
  return true, asked_ms - (me:now() - from_ms)
end

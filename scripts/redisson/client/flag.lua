-- flag.lua: the interrupt flag of a thread that takes a group of locks. An interrupt that breaks off the wait for an
-- answer leaves it set, and the wait for the next answer is broken off too. The flag lasts as long as the
-- group's call: a plain lock's call ends with the interrupt, and needs none. `lock.flag` is the flag of the thread
-- that asks; absent or false outside of a group's call.
local M = {}

-- joins: whether the thread waits on through an interrupt (CompletableFuture.join), as where it unlocks what it got;
-- else it does not (get).
function M.new()
  return { set = false, joins = false }
end

-- The lock as this thread asks for it.
function M.on(lock, flag)
  return setmetatable({ flag = flag }, { __index = lock, __newindex = lock })
end

-- The answer, however often the wait for it is interrupted.
function M.join(flag, sent)
  local reply, problem
  repeat
    reply, problem = sent:wait()
    flag.set = flag.set or problem == "interrupted"
  until problem ~= "interrupted"
  return reply, problem
end

-- The answer to the request that was sent for `lock`.
function M.answer(lock, sent)
  local flag = lock.flag
  if not flag then
    return sent:wait()
  elseif flag.joins then
    return M.join(flag, sent)
  elseif flag.set then
    return nil, "interrupted"
  end
  return sent:wait()
end

-- The thread was interrupted while it asked for `lock`.
function M.interrupted(lock)
  if lock.flag then
    lock.flag.set = true
  end
end

return M

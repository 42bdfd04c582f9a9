-- retry.lua: acquire and try_acquire of a lock whose refused clients sleep and ask again. Nothing wakes them.
local M = {}

local function ask(lock, until_ms)
  local me = lock.me
  me:wants(lock.name)
  while true do
    local got, why = lock:attempt()
    if got ~= false then
      return got, why
    end
    local left_ms = until_ms and until_ms - me:now()
    if left_ms and left_ms <= 0 then
      me:gave_up(lock.name)
      return false
    end
    local ms = lock:pause_ms()
    me:sleep(left_ms and math.min(ms, left_ms) or ms)
  end
end

-- Gives `Lock`, a class with me and name, the two methods. It has attempt(), one try that announces how it ends: true;
-- false when refused; nil and why when there is no answer; and pause_ms(), how long a refused client sleeps.
function M.add(Lock)
  -- Asks until it gets the lock. Returns true; or nil and why.
  function Lock:acquire()
    return ask(self)
  end

  -- Asks for wait_ms at most; without it, once. Returns true, false when the time is up, or nil and why.
  function Lock:try_acquire(wait_ms)
    return ask(self, self.me:now() + (wait_ms or 0))
  end
end

return M

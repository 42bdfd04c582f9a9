-- unlock.lua: unlock() of a group: its locks in order. Returns true; or nil and why, from the first lock that says no:
-- those after it stay (strict), or are unlocked all the same, and nothing is said.
return function(locks, strict)
  for _, lock in ipairs(locks) do
    local released, why = lock:release()
    if released == nil and strict then
      return nil, why
    end
  end
  return true
end

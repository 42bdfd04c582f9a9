-- unlock.lua: the mend: unlock() of a group reaches each of its locks. Returns true; or nil and why the first one said no (strict).
return function(locks, strict)
  local refused
  for _, lock in ipairs(locks) do
    local released, why = lock:release()
    if released == nil and strict then
      refused = refused or why
    end
  end
  if refused then
    return nil, refused
  end
  return true
end

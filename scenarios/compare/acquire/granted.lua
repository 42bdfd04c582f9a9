-- granted.lua: an adapter. Document 004's acquire answers 1 or 0, document 000's nil or the milliseconds that the
-- lease still runs: what both mean is "granted" or "refused".
return function(script, reply, problem, version)
  if problem or not script:find("acquire") then
    return { reply, problem and problem.message }
  end
  local granted = reply == 1
  if version == "new" then
    granted = reply == nil
  end
  return granted and "granted" or "refused"
end

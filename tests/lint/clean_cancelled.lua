-- A task that renews for ever is fine where it is cancelled.
local M = {}
function M.keep(me, name, renew)
  local task = me:spawn("watchdog", function(own)
    while true do
      own:sleep(1000)
      renew(own, name)
    end
  end)
  return function() task:cancel() end
end
return M

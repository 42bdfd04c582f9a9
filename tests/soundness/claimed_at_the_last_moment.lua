-- truth: mutual_exclusion (LK001) violated
-- A worker sleeps as long over its job as another one waits before it claims it (XAUTOCLAIM): in that very millisecond
-- both have it. The age is compared within the server, by a command's own number.
local function take(me)
  me:wants("job")
  me:granted("job", {})
end
return {
  clients = { "A", "B" },
  program = function(me)
    me:call("XGROUP", "CREATE", "jobs", "g", "0", "MKSTREAM")
    if me.id == "A:1" then me:call("XADD", "jobs", "1-0", "job", "x") end
    local got = me:call("XREADGROUP", "GROUP", "g", me.id, "COUNT", 1, "STREAMS", "jobs", ">")
    if got then
      take(me)
      me:sleep(4990)
      me:released("job")
      me:call("XACK", "jobs", "g", "1-0")
      return
    end
    local claimed = me:call("XAUTOCLAIM", "jobs", "g", me.id, 4990, "0")
    if claimed and #claimed[2] > 0 then
      take(me)
      me:work(10)
      me:released("job")
    end
  end,
}

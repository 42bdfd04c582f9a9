-- truth: mutual_exclusion (LK001) violated (both find the list new, and put a token in)
-- A mutex that is a list with one token: a client that takes it by BLPOP has the lock.
local nobody = { view = function() return { holders = {}, keys = {} } end }

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", nobody)
    if me:call("EXISTS", "made") == 0 then
      me:call("SET", "made", 1)
      me:call("LPUSH", "tokens", "x")
    end
    me:wants("L")
    me:call("BLPOP", "tokens", 0, { op = "acquire", lock = "L" })
    me:granted("L")
    me:work(10)
    me:call("RPUSH", "tokens", "x", { op = "release", lock = "L" })
    me:released("L")
  end,
}

-- truth: always (LK090) violated
-- As old_enough_then_compared.lua, with an age at which nothing but the answer changes, and another one behind it from
-- which the two times are compared. Truth: VIOLATED: A at 0, B at 51, C at 92.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }
return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", marks)
    if me.client ~= "C" then
      me:call("SET", me.client, me:now())
      return
    end
    local a, b = me:call("GET", "A"), me:call("GET", "B")
    if not (a and b) then return end
    local age = me:now() - b
    if age > 20 then me:call("SET", "late", age) end
    if age > 40 and b - a > 50 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}

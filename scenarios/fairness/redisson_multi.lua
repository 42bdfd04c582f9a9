-- Redisson's all of two locks at two servers, taken in order, as one.
local driver = require "redisson.multi"
local redisson = require "redisson.lock"
local workloads = require "workloads"

for _, load in ipairs(workloads) do
  load.locks = { "order:42" }                                -- not those that it is made of
end

return {
  title    = "redisson/multi",
  servers  = 2,
  -- `locksim run` would visit more than a hundred thousand states
  explore  = { random = 100 },
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local locks = {}
    for i = 1, 2 do
      locks[i] = redisson.lock(me:on(i), "order:42")
    end
    local all = driver.lock(me, "order:42", locks)
    if all:acquire(5000, 1) then
      me:work()
      all:release()
    end
  end,
  workload = workloads,
}

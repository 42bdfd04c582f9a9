-- The same world with the algorithm as it is documented: a client whose votes took longer than the lease gives them back and asks again.
local finding = require "red_lock_without_validity"
local redlock = require("redlock.redlock").over(3)

return {
  title   = "Redlock says no when its lease has run out",
  servers = finding.servers,
  clients = finding.clients,
  program = function(me)
    local lock = redlock.lock(me, "order:42", { lease_ms = 1000, retry_ms = 700, server_ms = 3000 })
    if lock:acquire() then
      me:work(500)
      lock:release()
    end
  end,
  faults  = finding.faults,
  expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds", matches_spec = "holds" },
  must_see = finding.must_see,
}

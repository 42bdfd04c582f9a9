-- The same with our mend: holds are counted from one where the last hold has ended.
local finding = require "faster_multi_stale_count"

return {
  title   = "a hold that ran out counts no more",
  clients = finding.clients,
  program = finding.program,
  expect  = { prompt = { "holds", idle_ms = 500 }, lease_set = "violated" },
}

-- The same with our mend: who waits to read is told when the writer only reads on.
local finding = require "read_write_downgrade"

return {
  title   = "a writer who goes on reading lets the others know",
  clients = finding.clients,
  program = finding.program,
  expect  = {
    prompt = { "holds", idle_ms = 1 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "release", "wait", "message" },
}

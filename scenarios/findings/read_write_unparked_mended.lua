-- The same with our mend: the message leaves a permit for who is about to sleep.
local finding = require "read_write_unparked"

return {
  title   = "a writer's unlock leaves a permit for everybody",
  clients = finding.clients,
  program = finding.program,
  expect  = {
    prompt = { "holds", idle_ms = 1 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = finding.must_see,
}

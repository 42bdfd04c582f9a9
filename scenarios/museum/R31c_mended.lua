-- R31c mended in 4.3.0: the latch is deleted by the name that it was given.
local faulty = require "R31c"

return {
  title   = "latches that are deleted",
  clients = faulty.clients,
  program = faulty.program,
  always  = faulty.always,
  expect  = { always = "holds" },
}

-- The twin of H06: our mend: an attempt writes its lease into the object when it was granted, as the other locks do.
local faulty = require "H06"

return {
  title   = "H06 mended: a failed attempt leaves nothing behind",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    mutual_exclusion = "holds",
    lease_set = "holds",
  },
  must_see = faulty.must_see,
}

-- Functions of another file, which the client puts in the place of the comment, as BullMQ's does.
--- @include "includes/keep"
local rcall = redis.call
if rcall("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return keep(KEYS[1], ARGV[2])
end
return 0

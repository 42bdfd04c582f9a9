-- slot.lua: the slot of R09a's twin.
return require "R09a_mended.redisson.slot"

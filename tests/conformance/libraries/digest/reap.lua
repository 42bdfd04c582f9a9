-- reap.lua: digests of before some instant, behind which there is no job any more.
-- KEYS  1 digests      ARGV  1 now, 2 the instant, 3 at most so many
local gone = {}
local all = redis.call('ZSCAN', KEYS[1], 0, 'COUNT', 500)
assert(all[1] == '0')
for _, digest in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[2], 'BYSCORE', 'LIMIT', 0, ARGV[3])) do
  local alive = 0
  for _, of in ipairs({ 'queued', 'primed', 'locked' }) do alive = alive + redis.call('EXISTS', of) end
  if alive == 0 then
    gone[#gone + 1] = digest
    redis.call('UNLINK', digest)
  end
end
for i = 1, #gone, 2 do redis.call('ZREM', KEYS[1], unpack(gone, i, math.min(i + 1, #gone))) end
return { #all[2], gone }

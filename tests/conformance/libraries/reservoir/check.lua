-- check.lua: refuses to go on with settings of another version.
-- KEYS  1 settings      ARGV  1 version
local version = redis.call('hget', KEYS[1], 'version')
if version == false then error({ err = 'UNKNOWN_CLIENT' }) end
if tonumber(version) > tonumber(ARGV[1]) then return redis.error_reply('VERSION ' .. version .. ' > ' .. ARGV[1]) end
return { ok = 'VERSION ' .. version }

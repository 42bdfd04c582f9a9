local pairs_of_keys = {}
for _, key in ipairs(KEYS) do
  table.insert(pairs_of_keys, key)
  pairs_of_keys[#pairs_of_keys + 1] = ARGV[1]
end
if redis.call('MSETNX', unpack(pairs_of_keys)) == 0 then
  return false
end
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, ARGV[2])
end
return redis.status_reply('OK')

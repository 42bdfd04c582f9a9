#!lua name=counters
-- A library's functions get their keys and arguments as parameters, by names of their own; helpers may get them, too.
local function is_mine(lock, token)
  return redis.call('GET', lock) == token
end

local function free(names, values)
  if is_mine(names[1], values[1]) then
    return redis.call('DEL', names[1])
  end
  return 0
end

local function free_by_name(keys, args)
  local mine = redis.call('GET', keys[1]) == args[1]
  if mine then
    redis.call('DEL', keys[1])
  end
  return 1
end

redis.register_function('free', free)
redis.register_function{ function_name = 'free_by_name', callback = free_by_name }
redis.register_function('many', function(keys) return redis.call('MGET', unpack(keys)) end)
redis.register_function{ function_name = 'left', flags = { 'no-writes' }, callback = function(keys)
  return redis.call('PTTL', keys[1])
end }

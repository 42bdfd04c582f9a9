if ARGV[1] == 'count' then
  return { 'count', redis.call('llen', KEYS[1]) }
end
return { 1, false, 3 }

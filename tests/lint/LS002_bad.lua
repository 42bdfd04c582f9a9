if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
  redis.publish(KEYS[2], 'free')
end
print('done')
return os.time()

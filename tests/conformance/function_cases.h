/* function_cases.h - libraries of Redis functions, and commands about them, for scripts.c. Each library is loaded under
 * the name lib, listed with its code, and its function f called: by FCALL twice, for what it keeps, and by FCALL_RO.
 * None has two functions: the real server lists those in the order of a hash table. No chunk says redis.log or reads a
 * constant: Valkey 9.1.2 crashes where one does. */
#ifndef LOCKSIM_TESTS_FUNCTION_CASES_H
#define LOCKSIM_TESTS_FUNCTION_CASES_H

static const char *const function_libraries[] = {
    "#!lua name=lib\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua name=\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua name=a-b\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua name=lib name=lib2\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua name=lib flags=no-writes\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua name=lib",
    "#!lua name=lib\n",
    "",
    "return 1",
    "#!python name=x\nredis.register_function('f',function(k,a) return 1 end)",
    "#!LUA name=lib\nredis.register_function('f',function(k,a) return 1 end)",
    "#! lua name=x\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua name=\"x y\"\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua name=\"x\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua name=lib\tfoo=1\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua NAME=lib\nredis.register_function('f',function(k,a) return 1 end)",
    "#!python\nx",
    "#!python name=a-b\nx",
    "#!python foo=1\nx",
    "#!\nredis",
    "#!lua name=lib \r\nredis.register_function('f',function(k,a) return 1 end)",
    "#!lua name=lib\nsyntax error here",
    "#!lua name=lib\n\033Lua",
    "#!lua name=lib\nerror('x')",
    "#!lua name=lib\nredis.call('get','x')",
    "#!lua name=lib\nredis.pcall('get','x')",
    "#!lua name=lib\nreturn string.format('x')",
    "#!lua name=lib\nx=1",
    "#!lua name=lib\nlocal x=nosuch",
    "#!lua name=lib\nredis.sha1hex('x')",
    "#!lua name=lib\nredis.setresp(3)",
    "#!lua name=lib\nlocal _=_G",
    "#!lua name=lib\nlocal _=redis.nosuch",
    "#!lua name=lib\nredis.foo=1",
    "#!lua name=lib\nlocal x = nil\nx.y=1",
    "#!lua name=lib\nreturn 7",
    "#!lua name=lib\nredis.register_function()",
    "#!lua name=lib\nredis.register_function('f')",
    "#!lua name=lib\nredis.register_function('f',1)",
    "#!lua name=lib\nredis.register_function(1,function() end)",
    "#!lua name=lib\nredis.register_function(function() end,'f')",
    "#!lua name=lib\nredis.register_function('f-x',function() end)",
    "#!lua name=lib\nredis.register_function('',function() end)",
    "#!lua name=lib\nredis.register_function('f','x','y')",
    "#!lua name=lib\nredis.register_function('f',function() end,{})",
    "#!lua name=lib\nredis.register_function({}, {})",
    "#!lua name=lib\nredis.register_function(1.5,function() end)",
    "#!lua name=lib\nredis.register_function('f\\0g',function() end)",
    "#!lua name=lib\nredis.register_function{}",
    "#!lua name=lib\nredis.register_function{function_name='f'}",
    "#!lua name=lib\nredis.register_function{callback=function() end}",
    "#!lua name=lib\nredis.register_function{function_name=1,callback=function() end}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=1}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function() end,flags='x'}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function() end,flags={'x'}}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function() end,flags={1}}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function() end,foo=1}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function() end,[1]=1}",
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function() "
    "end,description='d',flags={'no-writes','allow-oom','allow-stale','no-cluster','allow-cross-slot-keys'}}"),
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function() end,description=1}",
    "#!lua name=lib\nredis.register_function{FUNCTION_NAME='f',callback=function() end,flags={'NO-WRITES'}}",
    "#!lua name=lib\nredis.register_function{[{}]=1}",
    "#!lua name=lib\nredis.register_function{function_name={}}",
    "#!lua name=lib\nredis.register_function{description={}}",
    "#!lua name=lib\nredis.register_function{[1]=2,[true]=3}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function() end,flags={'no-writes',nil,'x'}}",
    ("#!lua name=lib\nredis.register_function('f',function(k,a) return 1 "
    "end)\nredis.register_function('f',function(k,a) return 1 end)"),
    ("#!lua name=lib\n"
    "redis.register_function('f',function(k,a) return 1 end)\nredis.register_function('f',function(k,a) return 1 end) "
    "redis.call('x')"),
    "#!lua name=lib\nredis.register_function('f-f',function() end)\nredis.call('x')",
    "#!lua name=lib\nlocal r=redis.register_function\nr('f',function() r('g',function() end) end)",
    "#!lua name=lib\nlocal r=redis redis.register_function('f', function() return r.call('get','x') end)",
    "#!lua name=lib\nlocal t={} t.x=1 redis.register_function('f',function() t.x=t.x+1 return t.x end)",
    "#!lua name=lib\nlocal n=0 redis.register_function('f',function() n=n+1 return n end)",
    ("#!lua name=lib\n"
    "redis.register_function('f', function() local t={} for k in pairs(_G) do t[#t+1]=tostring(k) end table.sort(t) "
    "return t end)"),
    ("#!lua name=lib\n"
    "redis.register_function('f', function() local t={} for k in pairs(redis) do t[#t+1]=tostring(k) end table.sort(t) "
    "return t end)"),
    "#!lua name=lib\nredis.register_function('f',function(...) return {select('#',...),...} end)",
    "#!lua name=lib\nlocal function h(k,a) return redis.call('set',k[1],a[1]) end\nredis.register_function('f',h)",
    ("#!lua name=lib\n\n\n\nlocal function h(k,a) error('deep') end\nredis.register_function('f',function(k,a)\n  "
    "return h(k,a)\nend)"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) return redis.call('set',keys[1],args[1]) "
    "end}"),
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) error('x') end}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) error('x',0) end}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) error({err='MY err'}) end}",
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.error_reply('E x') end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "{#keys,#args,keys[2],args[3]} end}"),
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return KEYS end}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return ARGV[1] end}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) x=1 end}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return foo end}",
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) local x=nil; return x.y "
    "end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.call('nosuch') end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.call('incr','s') end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return redis.call('get') "
    "end}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) local ok,e=pcall(redis.call,'nosuch') "
    "return e end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.pcall('nosuch') end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.call('fcall','f',0) end}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) return redis.call('eval','return 1',0) "
    "end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.call('function','list') end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.register_function end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.call('hgetall','h') end}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) redis.setresp(3) return "
    "redis.call('hgetall','h') end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return redis.sha1hex('') "
    "end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "cjson.encode({1,2}) end}"),
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return {1,nil,3} end}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return {map={a=1}} end}",
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return 3.99 end}",
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.call('set',keys[1]) end}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) redis.call('select',3) "
    "redis.call('set','k','in3') return 1 end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "redis.call('publish','c','m') end}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) local k=redis.call('keys','*') "
    "table.sort(k) return k end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "math.floor(math.random()*0) end}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) return xpcall(function() error('x') end, "
    "function(e) return e end) end}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) local co=coroutine.wrap(function() "
    "coroutine.yield(redis.call('get','s')) end) return co() end}"),
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) loadstring('y=1')() end}",
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return loadstring('return "
    "1')() end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return "
    "tostring(redis.breakpoint) end}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return server and 1 or 2 "
    "end}"),
    "#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) redis.log('x') end}",
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) keys[1]='changed' return "
    "keys[1] end}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) return redis.call('get','s') "
    "end,flags={'no-writes'}}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) return redis.call('set',keys[1],'x') "
    "end,flags={'no-writes'}}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) return redis.call('publish','c','m') "
    "end,flags={'no-writes'}}"),
    ("#!lua name=lib\nredis.register_function{function_name='f',callback=function(keys,args) return 1 "
    "end,flags={'allow-oom'}}"),
    ("#!lua name=lib\n"
    "redis.register_function{function_name='f',callback=function(keys,args) return redis.call('set',keys[1],'x') "
    "end,flags={'allow-oom','no-writes'}}"),
};

/* In this order, on one server. */
static const char *const function_lines[][8] = {
    { "function" },
    { "function", "nosuch" },
    { "function", "load" },
    { "function", "load", "x", "y" },
    { "function", "load", "REPLACE" },
    { "function", "load", "replace", "Replace",
      "#!lua name=lib\nredis.register_function('f',function() return 1 end)" },
    { "function", "load", "#!lua name=lib\nredis.register_function('f',function() return 1 end)" },
    { "function", "load", "#!lua name=lib\nredis.register_function('f',function() return 1 end)", "x" },
    { "function", "load", "#!lua name=lib2\nredis.register_function('f',function() return 2 end)" },
    { "fcall", "f", "0" },
    { "fcall", "F", "0" },
    { "function", "load", "REPLACE", "#!lua name=lib\nbad bad" },
    { "fcall", "f", "0" },
    { "function", "load", "#!lua name=lib3\nredis.register_function('F',function() return 3 end)" },
    { "function", "load",
      "#!lua name=LIB\nredis.register_function('g',function(k,a) return redis.call('set',k[1],a[1]) end)" },
    { "function", "list", "libraryname" },
    { "function", "list", "libraryname", "l*b3" },
    { "function", "list", "libraryname", "lib", "withcode", "x" },
    { "function", "help" },
    { "function", "help", "x" },
    { "function", "list", "foo" },
    { "function", "list", "withcode", "withcode" },
    { "function", "list", "libraryname", "a", "libraryname", "b" },
    { "function", "stats" },
    { "function", "kill" },
    { "fcall" },
    { "fcall", "f" },
    { "fcall", "nosuch", "0" },
    { "fcall", "nosuch", "x" },
    { "fcall", "g", "1", "k", "v" },
    { "fcall", "g", "x" },
    { "fcall", "g", "-1" },
    { "fcall", "g", "5", "a" },
    { "fcall", "g", "01", "k" },
    { "fcall_ro", "g", "1", "k", "v" },
    { "fcall_ro", "nosuch", "0" },
    { "get", "k" },
    { "function", "delete", "nosuch" },
    { "function", "delete" },
    { "function", "delete", "lib" },
    { "fcall", "f", "0" },
    { "function", "load", "#!lua name=lib2\nredis.register_function('f',function() return 2 end)" },
    { "fcall", "f", "0" },
    { "function", "list", "libraryname", "LIB2", "withcode" },
    { "multi" },
    { "function", "load", "#!lua name=lib3\nredis.register_function('F',function() return 3 end)" },
    { "function", "load", "replace", "#!lua name=lib2\nredis.register_function('h',function() return 5 end)" },
    { "fcall", "h", "0" },
    { "exec" },
    { "fcall", "f", "0" },
    { "eval", "return redis.call('fcall','h',0)", "0" },
    { "eval", "return redis.call('function','list')", "0" },
    { "eval", "return tostring(redis.register_function)", "0" },
    { "script", "flush" },
    { "flushall" },
    { "fcall", "h", "0" },
    { "eval", "cjson.encode_number_precision(3) return 1", "0" },
    { "function", "load", "replace",
      "#!lua name=lib2\nredis.register_function('h',function() return cjson.encode(1/3) end)" },
    { "fcall", "h", "0" },
    { "script", "flush" },
    { "function", "delete", "LIB" },
    { "function", "delete", "lib2" },
    { "function", "list" },
    { "function", "stats" },
    { "function", "flush", "foo" },
    { "function", "flush", "sync", "x" },
};

#endif

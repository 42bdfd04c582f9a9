-- luacheck's settings: what Redis gives a script, and what locksim gives a scenario or a driver, is known; no other global is.
local redis_fields = {
  "call", "pcall", "error_reply", "status_reply", "sha1hex", "log", "setresp", "set_repl", "replicate_commands", "breakpoint",
  "debug", "acl_check_cmd", "LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING", "REPL_NONE", "REPL_AOF", "REPL_SLAVE",
  "REPL_REPLICA", "REPL_ALL", "REDIS_VERSION", "REDIS_VERSION_NUM", "register_function",
}
local redis = { fields = {} }
for _, name in ipairs(redis_fields) do redis.fields[name] = {} end

stds.locksim = {
  read_globals = {
    KEYS = { other_fields = true }, ARGV = { other_fields = true },
    redis = redis, cjson = { other_fields = true }, cmsgpack = { other_fields = true },
    struct = { other_fields = true }, bit = { other_fields = true },
    "script", "require",
    "_G", "_VERSION", "assert", "collectgarbage", "coroutine", "error", "getmetatable", "ipairs", "math", "next", "pairs",
    "pcall", "rawequal", "rawget", "rawset", "select", "setmetatable", "string", "table", "tonumber", "tostring", "type",
    "unpack", "where", "xpcall",
  },
}
std = "locksim"
max_line_length = 120
-- A patch has the lines of its original, with a sign before each.
max_string_line_length = 121
self = false
-- The unlock of document 004 as it was printed: no Redis has redis.publish, and scenarios show what comes of it.
files["scripts/notes/reentrant/release.lua"] = { ignore = { "143/redis" } }

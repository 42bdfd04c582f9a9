/* lint.h - what clang's analyzer is told before it reads a file: Lua's error functions do not return. Used by
 * `make lint` only. */
struct lua_State;
extern int luaL_error(struct lua_State *, const char *, ...) __attribute__((noreturn));
extern int luaL_argerror(struct lua_State *, int, const char *) __attribute__((noreturn));
extern int lua_error(struct lua_State *) __attribute__((noreturn));

-- set_nx.lua: in two commands.
return require "basic.setnx_expire"

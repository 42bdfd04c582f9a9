-- fenced.lua: without tokens.
return require "basic.set_nx"

/* plain_lock.pml - the plain reentrant lock with spinning clients, for Spin: the yardstick of `make bench`.
 *
 * CLIENTS clients do this ROUNDS times: take the lock, asking until they get it; re-enter it, whatever the answer; give it back
 * twice, whatever the answers. Taking succeeds, and adds one hold, if nobody holds the lock or the taker does; giving back takes one
 * hold away if the giver holds, and frees the lock with the last. At most EVICTIONS times Redis throws the lock's key away while there
 * is one. Nothing expires. One d_step is one request, executed and answered.
 *
 * A refused first taking changes nothing, so here it is merely not executable: such steps are no transitions of Spin's.
 * Clients that have finished keep their last position; the `end` labels say that standing still there is no deadlock. */
#ifndef CLIENTS
#define CLIENTS 6
#endif
#ifndef ROUNDS
#define ROUNDS 3
#endif
#ifndef EVICTIONS
#define EVICTIONS 2
#endif
#define NOBODY 255
#define OPEN (owner == NOBODY || owner == _pid)

byte owner = NOBODY;
byte holds;

active [CLIENTS] proctype client()
{
	byte round;
end:	do
	:: d_step { round < ROUNDS && OPEN -> owner = _pid; holds++ }
	   d_step { if :: OPEN -> owner = _pid; holds++ :: else fi }
	   d_step { if :: owner == _pid -> holds--; if :: holds == 0 -> owner = NOBODY :: else fi :: else fi }
	   d_step { if :: owner == _pid -> holds--; if :: holds == 0 -> owner = NOBODY :: else fi :: else fi; round++ }
	od
}

active proctype server()
{
	byte evicted;
end:	do
	:: d_step { owner != NOBODY && evicted < EVICTIONS -> owner = NOBODY; holds = 0; evicted++ }
	od
}

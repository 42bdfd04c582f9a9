/* profile.h - what the states of a search by tables are made of: which part of the world (whose timer, which key, which
 * local, which monitor, which fault) takes how many values, and how many states there would be if it took one.
 *
 * A part's share is counted, not guessed from its values alone. Two states are of one class if they differ in that part
 * only; the states that would be left are the classes. Of states drawn evenly from all that were met, the mean of
 * 1 / (size of its class) estimates classes / states without bias, and the visited set tells the size of a class: it
 * is asked for each other value of the part. What is small is counted whole. Where equal clients count once, a state is
 * asked for with its permutations, and the numbers are rougher. */
#ifndef LOCKSIM_SEARCH_PROFILE_H
#define LOCKSIM_SEARCH_PROFILE_H

#include "search/whole.h"

/* Of the states in `seen`, into h->out->profile, in h->a. Nothing where nothing is looked up (--no-memo). Same search,
 * same profile. Runs client code again, to name what it holds: asked for once a search is over. */
void profile_take(hunt *h, vectors *t, const visited *seen);

#endif

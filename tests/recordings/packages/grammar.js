// grammar.js - which keyspaces and arguments each script is asked with (cases.js): each key in each of its states, some time that passes (a key
// lives through its last millisecond), each list of arguments.
'use strict';

const state = (...commands) => ({ commands });
const malformed = (...commands) => ({ commands, malformed: true });
const words = (...list) => ({ words: list.map(String) });
const bad_words = (...list) => ({ words: list.map(String), malformed: true });

const SLEEPS = [0, 0.5, 0.501];

// A key that holds its owner's value: a is the caller.
const owned = (name) => [state(), state(['set', name, 'a', 'px', '500']), state(['set', name, 'a', 'px', '5000']), state(['set', name, 'b', 'px', '500']),
  state(['set', name, 'a']), malformed(['rpush', name, 'a']), malformed(['hset', name, 'a', '1'])];

const leases = (...before) => [words(...before, 1000), words(...before, 1), bad_words(...before, 0), bad_words(...before, -5), bad_words(...before, 'soon'),
  bad_words(...before, '1.5')];

const redlock = {
  'node_redlock/redlock/acquire': { class: 'Redlock', method: 'acquire', key_words: ['resource...'], argv_words: ['value', 'lease'],
    keys: [['x'], ['x', 'y']], states: owned, sleeps: SLEEPS, argv: leases('a') },
  'node_redlock/redlock/extend': { class: 'Redlock', method: 'extend', key_words: ['resource...'], argv_words: ['value', 'lease'],
    keys: [['x'], ['x', 'y']], states: owned, sleeps: SLEEPS, argv: leases('a') },
  'node_redlock/redlock/release': { class: 'Redlock', method: 'release', key_words: ['resource...'], argv_words: ['value'],
    keys: [['x'], ['x', 'y']], states: owned, sleeps: SLEEPS, argv: [words('a')] },
};

module.exports = { redlock };

/* Chang and Roberts as src/protocols/ring/chang-roberts.ts has it: all start, ids fall around the ring, links are FIFO. Compile with
 * -DN=12. A step is the whole handling of one message, so configurations are those of our explorer, plus the one before the
 * start. A message is the id that it carries, and ANNOUNCE more where it announces a leader. */
#define ANNOUNCE 128

chan link[N] = [N] of { byte };

byte leader[N];
hidden byte seen;

proctype node(byte place; byte id) {
end:
  do
  :: atomic {
       link[place] ? seen;
       if
       :: seen == id -> leader[place] = id; link[(place + 1) % N] ! ANNOUNCE + id
       :: seen > id && seen < ANNOUNCE -> link[(place + 1) % N] ! seen
       :: seen > ANNOUNCE && seen != ANNOUNCE + id ->
          assert(leader[place] == 0);
          leader[place] = seen - ANNOUNCE;
          link[(place + 1) % N] ! seen
       :: else
       fi;
       seen = 0
     }
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. N - 1) {
      run node(i, N - i);
      link[(i + 1) % N] ! N - i
    }
    i = 0
  }
}

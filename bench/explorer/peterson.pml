/* Peterson as src/protocols/ring/peterson.ts has it: all start, ids fall around the ring, links are FIFO. Compile with -DN=13. A step
 * is the whole handling of one message, so configurations are those of our explorer, plus the one before the start. */
mtype = { first, second, announce };

chan link[N] = [N] of { mtype, byte, byte };

byte leader[N];
hidden mtype kind;
hidden byte seen, phase;

proctype node(byte place; byte id) {
  bool contends = true;
  byte mine = 1, temporary = id, before = 0;
end:
  do
  :: atomic {
       link[place] ? kind, seen, phase;
       if
       :: kind == announce && seen == id
       :: kind == announce && seen != id ->
          assert(leader[place] == 0);
          leader[place] = seen;
          link[(place + 1) % N] ! announce, seen, 0
       :: kind != announce && !contends -> link[(place + 1) % N] ! kind, seen, phase
       :: kind == first && contends ->
          if
          :: seen == temporary -> leader[place] = id; link[(place + 1) % N] ! announce, id, 0
          :: else -> before = seen; link[(place + 1) % N] ! second, seen, mine
          fi
       :: kind == second && contends ->
          if
          :: before > temporary && before > seen ->
             temporary = before;
             before = 0;
             mine++;
             link[(place + 1) % N] ! first, temporary, mine
          :: else -> contends = false
          fi
       fi;
       kind = 0;
       seen = 0;
       phase = 0
     }
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. N - 1) {
      run node(i, N - i);
      link[(i + 1) % N] ! first, N - i, 1
    }
    i = 0
  }
}

/**
 * Short guided runs for a class: a question, a guess, a run and its answer. Every number in an answer is computed again from
 * the run by test/lab/lessons.test.ts; the texts have no page numbers, so their slides, sections and theorems are named.
 */
import type { Fields } from "../run/types.ts";

export interface Lesson {
  readonly slug: string;
  readonly title: string;
  readonly about: string;
  /** How long it takes in a class, with the discussion. */
  readonly minutes: number;
  /** What one needs to know before the guess. */
  readonly text: readonly string[];
  readonly guess: {
    readonly question: string;
    readonly min: number;
    readonly max: number;
    readonly start: number;
    /** What the slider counts; the run's own value of it is the answer. */
    readonly counts: "messages" | "phases" | "rounds" | "leaders" | "late";
  };
  readonly run: Fields;
  /** What is done to the run by hand, as in a link: "9:pause:2:20". */
  readonly faults?: readonly string[];
  /** Another reading beside it. */
  readonly beside?: string;
  readonly shows: "stage" | "both";
  /** The run's value of what was guessed. */
  readonly truth: number;
  /** A number of theory on the same scale. */
  readonly bound: { readonly label: string; readonly value: number };
  readonly answer: readonly string[];
  readonly source: string;
  /** Where to go on. */
  readonly tries: readonly (readonly [words: string, hash: string])[];
  /** For the handout: to be answered on paper. */
  readonly questions: readonly string[];
  /** For the teacher: what to draw attention to, and what goes wrong in class. */
  readonly note: string;
}

export const lessons: readonly Lesson[] = [
  {
    slug: "average",
    title: "Sixty-four ids set out. How far do they get?",
    about: "Chang-Roberts on a ring",
    minutes: 10,
    text: [
      "Every process on this ring sends its id to the next one. A process with a larger id swallows what arrives; a process with a smaller one passes it on. The id that comes all the way home wins, and is announced around the ring.",
      "At worst that takes n(n + 1)/2 messages and n for the announcement, 2,144 for our ring. But the ids are in random order.",
    ],
    guess: { question: "How many messages will it take?", min: 128, max: 2144, start: 900, counts: "messages" },
    run: { protocol: "chang-roberts", n: "64", seed: "7" },
    shows: "both",
    truth: 386,
    bound: { label: "worst case", value: 2144 },
    answer: [
      "386 messages, 64 of them the announcement. 29 of the 64 ids were swallowed by the very first process they met, 42 got no further than two links; only 3 went further than 20.",
      "An id of rank i is swallowed by the first larger one, and most have one near. The mean over all orders is n times (1 + 1/2 + ... + 1/n): 304 for our ring, 368 with the announcement.",
    ],
    source: 'Chakraborty, lecture T9, slide "Chang and Roberts Algorithm - Average Case Analysis"',
    tries: [
      ["The same ring with other seeds", "#/watch?protocol=chang-roberts&n=64&seed=8"],
      ["The mean for 8 to 512 processes", "#/compare?protocols=chang-roberts&vary=n%3D8..512:log:7&trials=200"],
    ],
    questions: [
      "Why does the largest id never stop?",
      "Which ids travel far? Which are swallowed at once?",
      "Draw a ring of six ids on which the election needs as few messages as possible.",
      "How would the mean grow if there were ten times as many processes?",
    ],
    note: "Let the class guess before Play: most guess far too much, because they think of the worst case. Step through the first two instants with the right arrow, so that everybody sees one id being swallowed and one being passed on. Then play at 4x. The harmonic sum can wait for the second look.",
  },
  {
    slug: "worst",
    title: "Which order of ids is the worst?",
    about: "Chang-Roberts at its limits",
    minutes: 8,
    text: [
      "The same algorithm on 16 processes, but somebody has sorted the ids: each process is followed by one with the next smaller id.",
      "So id 15 meets 14 first, then 13, and nobody stops it until it comes to 16. With ids that increase, every id but the largest dies after one step: 2n - 1 messages and n for the announcement, 47 in all.",
    ],
    guess: { question: "How many messages with ids that decrease?", min: 47, max: 256, start: 100, counts: "messages" },
    run: { protocol: "chang-roberts", n: "16", ids: "decreasing", seed: "3" },
    shows: "stage",
    truth: 152,
    bound: { label: "ids increasing", value: 47 },
    answer: [
      "152 messages: 16 for the largest id, 15 for the next, and so on down to 1, which is n(n + 1)/2 = 136; then 16 for the announcement.",
      'The slide says "arrange the ids in decreasing order". That is the worst in the direction in which messages travel; seen from the other side it is the best.',
    ],
    source:
      'Chakraborty, lecture T9, slides "Chang and Roberts Algorithm", worst-case and best-case message complexity',
    tries: [
      ["Ids that increase", "#/watch?protocol=chang-roberts&n=16&ids=increasing&seed=3"],
      [
        "The slide's rule taken literally: max(own, received)",
        "#/watch?protocol=chang-roberts&n=16&seed=3&beside=printed",
      ],
    ],
    questions: [
      "In which direction must ids decrease so that the run is long?",
      "Count the messages of id 15, of id 14, of id 1.",
      "What changes if messages travel the other way?",
    ],
    note: "Ask for the sum before the run ends: students who see 16 + 15 + ... + 1 in the picture need no formula. The second link under Try shows a rule that slides often state and that is not the same algorithm.",
  },
  {
    slug: "phases",
    title: "Can large ids be kept from travelling far?",
    about: "Hirschberg-Sinclair, phase by phase",
    minutes: 12,
    text: [
      "Now messages may go both ways. In each phase a process sends its id to a certain distance in both directions, and gets replies if nobody there has a larger one. Only then does it try twice the distance.",
      "A process that survives distance d is the largest of 2d + 1 processes in a row, so few survive. 32 processes start.",
    ],
    guess: { question: "How many messages in all?", min: 64, max: 1536, start: 700, counts: "messages" },
    run: { protocol: "hirschberg-sinclair", n: "32", seed: "3" },
    shows: "stage",
    truth: 548,
    bound: { label: "8n(1 + log n)", value: 1536 },
    answer: [
      "548 messages, 32 of them the announcement. Of the 32 processes 11 probe to distance 2, 6 to distance 4, 4 to distance 8, 2 to distance 16, and one goes around.",
      "At most 2n/d processes still send over distance d, and each of them causes 4d messages at most: O(n) in a phase, and O(log n) phases. That holds for every order of ids; Chang-Roberts has no such bound.",
    ],
    source:
      'Chakraborty, lecture T9, slides "Hirschberg-Sinclair Algorithm" and "Message Complexity"; 8n(1 + log n): Hirschberg and Sinclair, 1980',
    tries: [
      ["The worst order for Chang-Roberts", "#/watch?protocol=hirschberg-sinclair&n=32&ids=decreasing&seed=3"],
      [
        "Both algorithms from 8 to 512 processes",
        "#/compare?protocols=chang-roberts,hirschberg-sinclair&vary=n%3D8..512:log:7&trials=100",
      ],
    ],
    questions: [
      "What does a reply tell a process about its neighbours?",
      "Why can at most every second process survive the first phase?",
      "What do hollow messages carry back, and to whom?",
      "Why does the number of messages not depend on the order of ids?",
    ],
    note: "The arcs show how far each survivor reaches. Pause whenever the phase in the middle changes, and let the class count the arcs: they halve at least. Compare with the worst order of lesson 2 under Try.",
  },
  {
    slug: "coins",
    title: "Nobody has a name. Who leads?",
    about: "Itai-Rodeh on an anonymous ring",
    minutes: 10,
    text: [
      "Eight processes that are exactly alike stand in a ring. If all do the same at the same time, all remain alike for ever: no deterministic algorithm can make one of them the leader.",
      "So they toss coins. In each phase every process that is still in draws 1 or 2, and the numbers go around as in Chang-Roberts. A number that comes home marked as not unique was drawn by several: they draw again.",
    ],
    guess: { question: "How many phases until one is left?", min: 1, max: 12, start: 3, counts: "phases" },
    run: { protocol: "itai-rodeh", n: "8", seed: "1", "param.range": "2" },
    shows: "stage",
    truth: 5,
    bound: { label: "a single phase", value: 1 },
    answer: [
      "5 phases and 138 messages, 8 of them the announcement, which names nobody. With only two numbers to draw, ties are common; by default each draws from 1 to n.",
      "The algorithm knows n: without it no process could tell its own number come home from an equal one of somebody else. No number of phases is certain to be enough; that is the price.",
    ],
    source: 'Chakraborty, lecture T9, slides "Impossibility Proof"; the algorithm: Itai and Rodeh, 1990',
    tries: [
      ["The same with ids drawn from 1 to 8", "#/watch?protocol=itai-rodeh&n=8&seed=1"],
      ["A seed with 9 phases", "#/watch?protocol=itai-rodeh&n=8&seed=8&param.range=2"],
    ],
    questions: [
      "Why can no rule without chance work on this ring?",
      "What does the dashed circle in a disc mean?",
      "How does a process know that its own number has come home, and not an equal one?",
      "How likely are two phases in a row in which all draw the same?",
    ],
    note: "Do it with coins and eight students in a circle first. Discs show the drawn number; a dashed circle inside marks a tie. The point to make: the algorithm always ends with exactly one leader, but nobody can say when.",
  },
  {
    slug: "sublinear",
    title: "Can one elect with fewer messages than processes?",
    about: "Referees on a complete network",
    minutes: 12,
    text: [
      "2,000 processes, each of which can reach every other. Each tosses a coin and stands with probability 2 ln n / n; the few candidates draw a rank and ask 2⌈√(n ln n)⌉ random referees each. A referee answers only the largest rank it hears of.",
      "Any two candidates very likely share a referee, so only one gets all its answers. That takes about √n (log n)^1.5 messages: sublinear, says the title of the paper.",
    ],
    guess: {
      question: "How many messages for 2,000 processes?",
      min: 100,
      max: 10000,
      start: 1000,
      counts: "messages",
    },
    run: { protocol: "referees", n: "2000", seed: "3" },
    shows: "stage",
    truth: 5982,
    bound: { label: "processes", value: 2000 },
    answer: [
      "5,982 messages, three times as many as processes: 17 candidates were drawn, and each asked 248 referees. Sublinear is said of large n.",
      "With seed 3 it takes 17,659 messages at n = 10,000 and 98,893 at 100,000, where it falls below n; at a million it is 423,361. And nobody but the leader knows who leads: telling all would cost n - 1 more.",
    ],
    source: "Kutten, Pandurangan, Peleg, Robinson and Trehan, section 2, Algorithm 1 and Theorem 1",
    tries: [
      ["A million processes", "#/watch?protocol=referees&n=1000000&seed=3"],
      ["Too few referees: 20", "#/watch?protocol=referees&n=500&seed=3&param.referees=20"],
    ],
    questions: [
      "How many candidates are there on average, and why so few?",
      "Why do two candidates almost surely share a referee?",
      "What would go wrong with only 20 referees each?",
      "Who knows the leader at the end?",
    ],
    note: "Two thousand dots are too many to follow: point at the numbers on the strands, which are what this lesson is about. The answer disappoints on purpose: sublinear is a word about large n. Show a million processes from Try.",
  },
  {
    slug: "crowd",
    title: "A crowd of sixty: how many need to speak?",
    about: "Filter and relay",
    minutes: 10,
    text: [
      "Sixty members of a group hear of a vacancy by multicast. Each hashes the election's number with its own name: only about K = 7 of them pass this filter and become relays. They tell each other whom they prefer (here: the lowest id), and then multicast the outcome.",
      "A member that does not pass the filter sends nothing and listens.",
    ],
    guess: {
      question: "How many messages, a multicast counted once?",
      min: 5,
      max: 600,
      start: 120,
      counts: "messages",
    },
    run: { protocol: "filter-relay", n: "60", seed: "3" },
    shows: "stage",
    truth: 82,
    bound: { label: "all to all", value: 3540 },
    answer: [
      "82: 72 unicasts among 9 relays, and 10 multicasts, one of which opened the round. The size of the group enters only through the multicasts: with K fixed, a group of 6,000 has about as many relays.",
      "The price is certainty. If no member passes the filter, or messages are lost, members see none or several leaders and begin another round with a larger K.",
    ],
    source: "Gupta, van Renesse and Birman, section 3.1 (filter and relay) and 3.2 (rounds)",
    tries: [
      ["A tenth of the multicasts is missed", "#/watch?protocol=filter-relay&n=60&seed=3&multicast-loss=0.1"],
      ["Six hundred members", "#/watch?protocol=filter-relay&n=600&seed=3"],
    ],
    questions: [
      "Who decides which members become relays?",
      "Why do the others stay silent?",
      "Which cost grows with the size of the group, and which does not?",
    ],
    note: "Say early that a multicast is one message to its sender, and many copies on the way: the page counts both, and names them differently.",
  },
  {
    slug: "council",
    title: "Four to eight out of sixty, please",
    about: "A council by lot",
    minutes: 10,
    text: [
      "A centre wants a council of 4 to 8 out of 60 hosts it cannot address one by one. It has counted them once, and multicasts how many there are; every host tosses a coin of its own, such that about six win, and those who win reply.",
      "If the number of replies is in the range, the council stands. Too many: only those who replied toss again. Too few: all toss again at once, without being counted anew first.",
    ],
    guess: {
      question: "How many hosts reply until the council stands?",
      min: 4,
      max: 60,
      start: 12,
      counts: "messages",
    },
    run: { protocol: "council-skip-reset", n: "60", seed: "5", "param.L": "4", "param.U": "8" },
    shows: "stage",
    truth: 19,
    bound: { label: "all hosts", value: 60 },
    answer: [
      "19 replies in 3 exchanges: 3 hosts, too few; 9, too many; then 7 of those 9, and the council stands.",
      "Usually it is quicker: on average 1.34 exchanges are enough for 60 hosts, and 1.38 for 10,000. Replies count, since they all arrive at the centre; its multicasts do not, nor, in the paper, the n replies of the first count.",
    ],
    source: "Raz, Shavitt and Zhang, section V.A (Skip-Reset), Figs. 8 and 9; what is counted: section III",
    tries: [
      ["Exactly one, please", "#/watch?protocol=council-skip-reset&n=60&seed=5&param.L=1&param.U=1"],
      ["When nobody knows how many there are", "#/watch?protocol=council-unknown&n=60&seed=5"],
    ],
    questions: [
      "Why does the centre not simply name six hosts?",
      "What does a host do that has lost the draw?",
      "Too many replies: why is it not enough to take the first eight?",
    ],
    note: "Hosts are blue when they have replied and gold only when the council stands. Step slowly through the second exchange, in which too many reply.",
  },
  {
    slug: "nobody",
    title: "How can everybody lose?",
    about: "A published protocol, as printed and repaired",
    minutes: 15,
    text: [
      "Four contenders ask mediators for their vote. A contender that has all votes says so and leads if nobody objects; a contender that is refused gives up. Every process is both: C1 is the contender of node 1, M1 its mediator. Messages take between 0.2 and 1 unit of time, none is lost and nobody crashes.",
      "Two runs with one clock: the protocol with a repair, and as its tables are printed. Everything is the same up to the first event that differs.",
    ],
    guess: {
      question: "How many leaders will the printed protocol elect?",
      min: 0,
      max: 4,
      start: 1,
      counts: "leaders",
    },
    run: { protocol: "tournament-async", n: "4", seed: "16", delay: "uniform:0.2..1", "param.reading": "tables" },
    beside: "repaired",
    shows: "stage",
    truth: 0,
    bound: { label: "promised", value: 1 },
    answer: [
      "None. C1 is refused and withdraws everywhere. M0 and M3 take that as a reason to take their yes from C3, although C3 is not the one who withdrew, so C3 is refused. Meanwhile M1 keeps its yes for C3, which may win, and refuses C0, which waited. C3 and C0 give up, and nobody is left.",
      "Theorem 10 promises exactly one leader with high probability. The repair asks who withdraws, and keeps those who wait until the holder has really won.",
    ],
    source: "Ramanathan, Ferreira, Jagannathan, Grama and Szpankowski, section 4.2, Tables 5 to 7, and Theorem 10",
    tries: [
      [
        "The two readings in full",
        "#/watch?protocol=tournament-async&n=4&seed=16&delay=uniform:0.2..1&param.reading=tables&beside=repaired",
      ],
    ],
    questions: [
      "What does a mediator promise with a yes?",
      "Which message arrives later than the authors expected?",
      "What does the repair ask that the table does not?",
      "Would a test with random delays have found this?",
    ],
    note: "The two pictures are the same up to the first difference: go there first (the sentence says when they part), then step. C1 and M1 are two parts of one process. Students of verification should try the explorer on the command line afterwards.",
  },
  {
    slug: "peterson",
    title: "Can messages that go one way only still be few?",
    about: "Peterson's algorithm",
    minutes: 12,
    text: [
      "Hirschberg-Sinclair needs links that lead both ways. Peterson's algorithm has one direction only. An active process learns the ids that the two active processes before it hold. If the nearer of the two is the largest of all three, it stays active and now stands for that id; otherwise it becomes passive and only passes messages on.",
      "The number in a disc is the id that the process stands for at present; its own id stands beside it. At least half of the active processes become passive in each phase.",
    ],
    guess: { question: "How many messages for 16 processes?", min: 48, max: 400, start: 200, counts: "messages" },
    run: { protocol: "peterson", n: "16", seed: "3" },
    shows: "stage",
    truth: 128,
    bound: { label: "at most", value: 160 },
    answer: [
      "128 messages in 4 phases, 16 of them the announcement. Each phase costs at most 2n messages, because every link carries two ids; at most every second active process survives it.",
      "The winner is not the process whose id is the largest: it is the one that held that id last. Here node 1 leads with its own id, 10, which is not the largest.",
    ],
    source: "Chakraborty, lecture T9, slides on O(n log n) algorithms; Peterson, 1982, section 2",
    tries: [
      ["Ids that decrease", "#/watch?protocol=peterson&n=16&ids=decreasing&seed=3"],
      [
        "Beside Hirschberg-Sinclair, from 8 to 512 processes",
        "#/compare?protocols=peterson,hirschberg-sinclair&vary=n%3D8..512:log:7&trials=100",
      ],
    ],
    questions: [
      "Which three ids does an active process compare, and where does it stand for one of them afterwards?",
      "Why can two neighbouring active processes not both survive a phase?",
      "Why is it no harm that the winner does not have the largest id of its own?",
    ],
    note: "Pause at the end of the first phase and let the class read the discs: they hold ids of other processes. The word for this is that ids move, and processes only host them. Passive processes have empty discs.",
  },
  {
    slug: "tournament",
    title: "Everybody may stand. How do a few remain?",
    about: "A tournament of coin tosses",
    minutes: 12,
    text: [
      "On a complete network every one of 16 processes contends. In the first phase each asks a few mediators, drawn at random; a mediator says yes only to a contender that asks it alone. A contender that hears a single no drops out.",
      "Those who survive go into the second phase: they ask more mediators, with a random rank, and one that gets a yes from all of them leads. Each process is a contender, C, and a mediator, M, at once.",
    ],
    guess: { question: "How many messages in all?", min: 30, max: 480, start: 240, counts: "messages" },
    run: { protocol: "tournament", n: "16", seed: "3" },
    shows: "stage",
    truth: 116,
    bound: { label: "all ask all", value: 480 },
    answer: [
      "116 messages: 32 in the first phase, and 84 in the second, which 6 of the 16 contenders reached. If everybody asked everybody, the questions and answers alone would be 480.",
      "The first phase is cheap and throws most contenders out; the second is dear, and only few are left to pay for it. The price is a small chance that nobody leads, or, in other settings, that two do.",
    ],
    source:
      "Ramanathan, Ferreira, Jagannathan, Grama and Szpankowski, section 3 (the synchronous protocol) and Theorems 1 to 5",
    tries: [
      ["With 64 processes", "#/watch?protocol=tournament&n=64&seed=3"],
      [
        "How often exactly one leads, by the rounds of the first phase",
        "#/compare?protocols=tournament&vary=J%3D0,1,2,3,4&n=128&trials=100&y=success&log=",
      ],
    ],
    questions: [
      "What must happen so that a mediator says yes?",
      "Why do two survivors of the second phase almost surely share a mediator?",
      "Which of the two phases would you make longer, and what would it cost?",
    ],
    note: "The disc shows the id, the badge that the process mediates as well. Step to the end of the first round and ask who is still blue. The chance of failure is worth a second run: use Other order at the end, several times.",
  },
  {
    slug: "partition",
    title: "The network splits. How many leaders are there?",
    about: "Crash and partition",
    minutes: 15,
    text: [
      "Ten processes on a ring whose links lead both ways. Each tells its neighbours the largest id that it knows; after as many rounds as the ring is wide it decides: if its own id is still the largest that it knows, it leads.",
      "Before anything is sent, the links between processes 0 to 4 and the rest are cut. Nothing crashes, and nobody is told.",
    ],
    guess: { question: "How many processes will say that they lead?", min: 0, max: 5, start: 1, counts: "leaders" },
    run: { protocol: "flood-max", topology: "ring", n: "10", seed: "3", "param.stop": "diameter" },
    faults: ["0:cut:0-4"],
    shows: "stage",
    truth: 2,
    bound: { label: "promised", value: 1 },
    answer: [
      "2: id 10 on one side and id 9 on the other. Neither does anything wrong. A process that hears nothing from the other half cannot tell whether the other half is silent, slow or gone.",
      "So there is a choice. Either both sides may elect, and there can be two leaders; or a side elects only if it has a majority, and then one side, or both, have none. A crash is the same from afar: it looks like a cut around one process.",
    ],
    source:
      "The lecture assumes a network without faults (T9, slides on the model); Gupta, van Renesse and Birman, section 1, name both failures",
    tries: [
      [
        "The same, and process 3 crashes",
        "#/watch?protocol=flood-max&topology=ring&n=10&seed=3&param.stop=diameter&fault=0:cut:0-4&fault=12:crash:3&e=13",
      ],
      ["With majorities: nobody leads while the network is cut", "#/watch?protocol=quorum&n=9&seed=3&fault=0:cut:0-3"],
    ],
    questions: [
      "What does process 4 know of process 5 after the cut?",
      "Which of the two leaders is the wrong one?",
      "Five processes remain on each side. What changes if one side has six?",
      "How could the data that leaders write be protected, whatever they believe?",
    ],
    note: "Let the class vote before Play: most expect that somebody notices. Nobody can. The second link under Try shows the other side of the choice: safe, and without a leader. The last question leads to the next lesson.",
  },
  {
    slug: "fencing",
    title: "A leader sleeps, and wakes. What does it destroy?",
    about: "Leases and fencing tokens",
    minutes: 15,
    text: [
      "Processes 2 and 3 work in turns: process 0, the lease store, grants one lease at a time, each with a higher token. The holder of the lease writes to process 1, the data store, twice. A lease that is not given back runs out.",
      "Process 2 gets the lease, writes once, and is paused for longer than its lease lasts. When it wakes, it does not know that time has passed. On the left the data store checks tokens, on the right it does not.",
    ],
    guess: {
      question: "Without the guard: how many writes of the sleeper overwrite what came later?",
      min: 0,
      max: 4,
      start: 2,
      counts: "late",
    },
    run: { protocol: "fenced-write", n: "4", ids: "increasing", seed: "1", "param.reading": "unfenced" },
    faults: ["9:pause:2:20"],
    beside: "fenced",
    shows: "stage",
    truth: 1,
    bound: { label: "with the guard", value: 0 },
    answer: [
      "1: process 2 wakes and writes with token 1, after process 3 has written with token 2. Without the guard the old write stands, and nobody notices. With the guard the data store has seen token 2 and refuses token 1.",
      "For a while two processes take themselves for the leader. No clock, heartbeat or check before the write helps: the pause can come between the check and the write. Only the place where the data is can decide, and for that it needs tokens that grow.",
    ],
    source:
      "Not in the five texts; docs/guards.md and docs/leases.md describe guards, section by section. The run is a model of four processes, made for this lesson",
    tries: [
      ["The run with the guard alone", "#/watch?protocol=fenced-write&n=4&ids=increasing&seed=1&fault=9:pause:2:20"],
      ["Without a pause", "#/watch?protocol=fenced-write&n=4&ids=increasing&seed=1"],
    ],
    questions: [
      "When does process 3 get the lease, and why not earlier?",
      "At which moment do two processes take themselves for the leader?",
      "Would it help if process 2 looked at its clock right before it writes?",
      "What must be true of tokens so that the guard works?",
    ],
    note: "Pause the run when process 2 wakes and ask what it should do: every answer that does not involve the data store can be defeated by one more pause. In production the same happens with garbage collection, suspended laptops and moved virtual machines.",
  },
  {
    slug: "five-ways",
    title: "Five ways around a ring",
    about: "Le Lann, Chang-Roberts, Hirschberg-Sinclair, Peterson and Franklin",
    minutes: 15,
    text: [
      "Five elections on one ring of 64 processes, published from 1977 to 1982. In Le Lann's every id goes all the way around. Chang and Roberts let larger ids swallow smaller ones. Hirschberg and Sinclair send probes 1, 2, 4, ... links both ways.",
      "In Peterson's and in Franklin's election some processes are active, and only ids that are larger than those of their active neighbours go on to the next phase. Peterson's messages go one way, Franklin's both ways. We watch Franklin's.",
    ],
    guess: {
      question: "How many messages will Franklin's take?",
      min: 128,
      max: 4096,
      start: 1500,
      counts: "messages",
    },
    run: { protocol: "franklin", n: "64", seed: "3" },
    shows: "both",
    truth: 704,
    bound: { label: "Le Lann", value: 4096 },
    answer: [
      "704 messages, 64 of them the announcement: 5 rounds of 128. On the same ring Peterson's takes 640, in as many phases, because its last one goes around in one direction only.",
      "Le Lann's takes 4,096, as on every ring of 64, and needs no announcement. Chang and Roberts' takes 377 and Hirschberg and Sinclair's 1,207. But in the worst order Chang and Roberts' takes 2,144; Franklin's never takes more than 960 and Peterson's never more than 896.",
    ],
    source:
      'Chakraborty, lecture T9, slides "Chang and Roberts Algorithm" and "Hirschberg-Sinclair Algorithm"; the others: Le Lann, 1977, Peterson, 1982, and Franklin, 1982',
    tries: [
      [
        "All five from 8 to 128 processes, beside theory",
        "#/compare?protocols=le-lann,chang-roberts,hirschberg-sinclair,peterson,franklin&vary=n%3D8..128:log:5&trials=60",
      ],
      [
        "The worst order for Chang and Roberts, with Franklin's",
        "#/watch?protocol=franklin&n=64&ids=decreasing&seed=3",
      ],
      [
        "Dolev, Klawe and Rodeh: Peterson's rule, and the largest id leads",
        "#/watch?protocol=dolev-klawe-rodeh&n=16&seed=3",
      ],
    ],
    questions: [
      "Why does Le Lann's election take the same number of messages on every ring of one size?",
      "How many processes can be active in Franklin's second round, at most?",
      "For which order of ids is Chang and Roberts' election the best of the five? For which is it the worst?",
      "Which of the five need links in both directions?",
    ],
    note: "Let the class put the five in order before Play, from the fewest messages to the most. Then open the first link of Go on, with all five on one plot: the order for one ring is not the order of the worst cases. Ask which curve is a straight line, and why.",
  },
  {
    slug: "bully",
    title: "The bully, and when it fails",
    about: "An election by timeouts",
    minutes: 12,
    text: [
      "Six processes can all reach each other, and know each other's ids. One process has noticed that there is no coordinator. It asks all processes with larger ids. A process that is asked answers, and asks in turn. A process that gets no answer in time becomes the coordinator, and tells all processes with smaller ids.",
      "In time means: within twice the longest delay τ of a message. Then the largest id that lives leads, after n² - 1 = 35 messages at the most. But here messages take up to 4 units of time, and the processes believe that τ is 1.",
    ],
    guess: { question: "How many messages will it take?", min: 5, max: 100, start: 20, counts: "messages" },
    run: {
      protocol: "bully",
      n: "6",
      seed: "9",
      initiators: "1",
      delay: "uniform:0..4",
      "param.tau": "1",
    },
    shows: "stage",
    truth: 69,
    bound: { label: "at worst, in time", value: 35 },
    answer: [
      "69 messages. Answers came too late, so processes took silence for a crash: 4 of the 6 took office, and at one time 3 of them led at once.",
      "With τ = 4 the same election takes 35 messages, and one process takes office. A timeout that is too short makes two leaders; one that is long enough for every delay does not exist on most networks.",
    ],
    source: "Garcia-Molina, 1982, section on the bully algorithm",
    tries: [
      [
        "The same with a bound that holds",
        "#/watch?protocol=bully&n=6&seed=9&initiators=1&delay=uniform:0..4&param.tau=4",
      ],
      ["The largest of ten has crashed, perhaps", "#/watch?protocol=bully&n=10&seed=4&crash=0.3"],
      [
        "Beside Afek and Gafni, and Kutten et al.",
        "#/compare?protocols=bully,afek-gafni,referees&vary=n%3D8..256:log:6&trials=40",
      ],
    ],
    questions: [
      "Which process leads if no message is late and no process crashes?",
      "Why does a process with a smaller id take office in this run?",
      "What does a longer timeout cost when the coordinator crashes?",
      "Can a timeout be found that is right for every network?",
    ],
    note: "Play to the first process that takes office, and ask whether it is wrong to do so: by what it knows, it is right. Then let the class set the bound to 4 and play again. The lesson on leases and fencing shows how two leaders can be made harmless.",
  },
];

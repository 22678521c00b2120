/**
 * Short guided runs for a class: a question, a guess, a run and its answer. Every number in an answer is computed again from
 * the run by test/lab/lessons.test.ts; the texts have no page numbers, so their slides, sections and theorems are named.
 */
import type { Fields } from "../run/types.ts";

export interface Lesson {
  readonly slug: string;
  readonly title: string;
  readonly about: string;
  /** What one needs to know before the guess. */
  readonly text: readonly string[];
  readonly guess: {
    readonly question: string;
    readonly min: number;
    readonly max: number;
    readonly start: number;
    /** What the slider counts; the run's own value of it is the answer. */
    readonly counts: "messages" | "phases" | "rounds" | "leaders";
  };
  readonly run: Fields;
  /** Another reading beside it. */
  readonly beside?: string;
  readonly shows: "stage" | "time";
  /** The run's value of what was guessed. */
  readonly truth: number;
  /** A number of theory on the same scale. */
  readonly bound: { readonly label: string; readonly value: number };
  readonly answer: readonly string[];
  readonly source: string;
  /** Where to go on. */
  readonly tries: readonly (readonly [words: string, hash: string])[];
}

export const lessons: readonly Lesson[] = [
  {
    slug: "average",
    title: "Sixty-four ids set out. How far do they get?",
    about: "Chang-Roberts on a ring",
    text: [
      "Every process on this ring sends its id to the next one. Whoever holds a larger id swallows what arrives; whoever holds a smaller one passes it on. The id that comes all the way home wins, and is announced around the ring.",
      "At worst that takes n(n + 1)/2 messages and n for the announcement, 2,144 for our ring. But the ids are in random order.",
    ],
    guess: { question: "How many messages will it take?", min: 128, max: 2144, start: 900, counts: "messages" },
    run: { protocol: "chang-roberts", n: "64", seed: "7" },
    shows: "time",
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
  },
  {
    slug: "worst",
    title: "Which order of ids is the worst?",
    about: "Chang-Roberts at its limits",
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
  },
  {
    slug: "phases",
    title: "Can large ids be kept from travelling far?",
    about: "Hirschberg-Sinclair, phase by phase",
    text: [
      "Now messages may go both ways. In each phase a process sends its id to a certain distance in both directions, and gets replies if nobody there has a larger one. Only then does it try twice the distance.",
      "Whoever survives distance d is the largest of 2d + 1 processes in a row, so few survive. 32 processes start.",
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
  },
  {
    slug: "coins",
    title: "Nobody has a name. Who leads?",
    about: "Itai-Rodeh on an anonymous ring",
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
  },
  {
    slug: "sublinear",
    title: "Can one elect with fewer messages than processes?",
    about: "Referees on a complete network",
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
  },
  {
    slug: "crowd",
    title: "A crowd of sixty: how many need to speak?",
    about: "Filter and relay",
    text: [
      "Sixty members of a group hear of a vacancy by multicast. Each hashes the election's number with its own name: only about K = 7 of them pass this filter and become relays. They tell each other whom they prefer (here: the lowest id), and then multicast the outcome.",
      "Whoever does not pass the filter sends nothing and listens.",
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
  },
  {
    slug: "council",
    title: "Four to eight out of sixty, please",
    about: "A council by lot",
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
  },
  {
    slug: "nobody",
    title: "How can everybody lose?",
    about: "A published protocol, as printed and repaired",
    text: [
      "Four contenders ask mediators for their vote. Who has all votes says so and leads if nobody objects; who is refused gives up. Every process is both: C1 is the contender of node 1, M1 its mediator. Messages take between 0.2 and 1 unit of time, none is lost and nobody crashes.",
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
  },
  {
    slug: "five-ways",
    title: "Five ways around a ring",
    about: "Le Lann, Chang-Roberts, Hirschberg-Sinclair, Peterson and Franklin",
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
    shows: "time",
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
  },
  {
    slug: "bully",
    title: "The bully, and when it fails",
    about: "An election by timeouts",
    text: [
      "Six processes can all reach each other, and know each other's ids. One has noticed that there is no coordinator. It asks all with larger ids; whoever is asked answers and asks in turn. Who has no answer in time is the coordinator, and tells all with smaller ids.",
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
    shows: "time",
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
  },
];

/** A small version of each experiment that runs in the page: a sweep, or a single election to watch. */

const sweep = (query: string): string => `#/compare?${query}`;
const watch = (query: string): string => `#/watch?${query}`;

/** By text and experiment; what is missing needs hours of computing, or is a proof and not a run. */
export const HERE: Readonly<Record<string, string>> = {
  "lecture requirements": sweep(
    "protocols=chang-roberts,hirschberg-sinclair,peterson,itai-rodeh&vary=n=4..64:log:5&trials=100&y=success&log=x&delay=exp:1",
  ),
  "lecture impossibility": watch("protocol=itai-rodeh&n=8&seed=1&param.range=2"),
  "lecture chang-roberts": sweep("protocols=chang-roberts&vary=n=8..512:log:7&trials=100"),
  "lecture n-log-n": sweep("protocols=hirschberg-sinclair,peterson&vary=n=8..512:log:7&trials=60"),
  "lecture variable-time": sweep("protocols=time-slice&vary=n=8..256:log:6&trials=60"),
  "ramanathan table1": sweep("protocols=tournament,quorum,referees&vary=n=64..1024:log:5&trials=20"),
  "ramanathan fig1": watch("protocol=tournament&n=8&seed=3"),
  "ramanathan lemma1": watch("protocol=tournament&n=64&seed=3"),
  "ramanathan as-printed": sweep("protocols=tournament&vary=J=0,1,2,3,4&n=128&trials=100&y=success&log="),
  "ramanathan theorems1to5": sweep("protocols=tournament&vary=n=16..4096:log:5&trials=30"),
  "ramanathan fig2": watch("protocol=tournament-async&n=8&seed=3"),
  "ramanathan theorems6to9": sweep("protocols=tournament-async&vary=n=16..1024:log:5&trials=20&delay=uniform:0.2..1"),
  "ramanathan table5": watch(
    "protocol=tournament-async&n=4&seed=16&delay=uniform:0.2..1&param.reading=tables&beside=repaired",
  ),
  "ramanathan fig6": watch("protocol=quorum&n=4&seed=3"),
  "ramanathan fig7": watch("protocol=quorum&n=4&seed=3&delay=uniform:0.2..1"),
  "ramanathan fig8": watch("protocol=quorum&n=4&seed=53&delay=uniform:0.2..1&param.reading=tables&beside=repaired"),
  "ramanathan failures": sweep("protocols=tournament&vary=gamma=0,0.01,0.02,0.05&n=256&trials=60&y=success&log="),
  "ramanathan fig9": sweep(
    "protocols=tournament-async,quorum&vary=initiators=1%25,5%25,10%25,25%25,50%25&n=1000&trials=10&log=y",
  ),
  "ramanathan accuracy": sweep(
    "protocols=tournament-async&vary=initiators=5%25,25%25,100%25&n=500&trials=40&y=success&log=",
  ),
  "kutten theorem1": sweep("protocols=referees&vary=n=100..100000:log:7&trials=30"),
  "kutten corollary1": sweep("protocols=referees&vary=wakeup=simultaneous,adversarial&n=500&trials=100&y=success&log="),
  "kutten mixing": watch("protocol=random-walks&topology=torus&n=49&seed=3"),
  "kutten theorem2": sweep("protocols=random-walks&vary=n=16..1024:log:4&trials=20&topology=hypercube"),
  "kutten algorithm2": sweep(
    "protocols=random-walks&vary=reading=repaired,printed,printed-visited&n=64&trials=60&y=success&log=",
  ),
  "kutten theorem3": sweep("protocols=referees&vary=referees=4,8,16,32,64,128&n=500&trials=100&y=success&log=x"),
  "gupta fig2": watch("protocol=filter-relay&n=24&seed=3"),
  "gupta fig3": sweep(
    "protocols=filter-relay&vary=reinitiate=any,filtered&n=200&trials=60&multicast-loss=0.05&y=success&log=",
  ),
  "gupta fig4": sweep(
    "protocols=filter-relay&vary=K=3,5,7,10,14,20&n=200&trials=60&loss=0.01&multicast-loss=0.05&param.rounds=1&y=success&log=",
  ),
  "gupta theorems": sweep("protocols=filter-relay&vary=K=4,7,14,28&n=200&trials=40&log=xy"),
  "gupta fig5": sweep("protocols=filter-relay&vary=multicast-loss=0,0.02,0.05,0.1,0.2&n=200&trials=60&y=success&log="),
  "gupta crash": sweep("protocols=filter-relay&vary=crash=0,0.01,0.05,0.1&n=200&trials=60&y=success&log="),
  "gupta scale": sweep("protocols=filter-relay&vary=n=50..2000:log:5&trials=20&log=x"),
  "raz fig1": sweep(
    "protocols=council-naive&vary=c=3,4,5,5.8,6.5,7.5,8.5&n=1000&trials=300&param.L=4&param.U=8&y=rounds&log=",
  ),
  "raz fig2": sweep(
    "protocols=council-naive&vary=c=0.4,0.7,1,1.4,1.8&n=1000&trials=300&param.L=1&param.U=1&y=rounds&log=",
  ),
  "raz fig5": sweep("protocols=council-basic&vary=c=3,4,5,6,7,8&n=1000&trials=300&param.L=4&param.U=8&y=rounds&log="),
  "raz fig6": sweep("protocols=council-basic&vary=n=10..10000:log:7&trials=200&param.L=4&param.U=8&y=rounds&log=x"),
  "raz fig7": sweep(
    "protocols=council-basic&vary=c=0.5,0.8,1,1.3,1.6&n=1000&trials=300&param.L=1&param.U=1&y=rounds&log=",
  ),
  "raz fig10": sweep(
    "protocols=council-basic,council-skip-reset&vary=n=10..10000:log:7&trials=200&param.L=1&param.U=1&y=rounds&log=x",
  ),
  "raz fig11": sweep(
    "protocols=council-skip-reset,council-choice&vary=n=20..10000:log:6&trials=200&param.L=1&param.U=1&y=rounds&log=x",
  ),
  "raz fig14": sweep(
    "protocols=council-skip-reset,council-history&vary=n=20..10000:log:6&trials=300&param.L=1&param.U=1&y=rounds&log=x",
  ),
  "raz fig15": sweep(
    "protocols=council-skip-reset&vary=estimate=0.5,0.75,1,1.5,2&n=1000&trials=300&param.L=4&param.U=8&y=rounds&log=",
  ),
  "raz fig17": sweep("protocols=council-unknown,council-masks&vary=n=10..100000:log:5&trials=60&y=rounds&log=x"),
  "raz loss": sweep(
    "protocols=council-skip-reset&vary=loss=0,0.05,0.1,0.2&n=1000&trials=200&param.L=4&param.U=8&y=rounds&log=",
  ),
  "raz table1": watch("protocol=council-basic&n=24&seed=3"),
  "raz figs8-13": watch("protocol=council-skip-reset&n=24&seed=5&beside=printed"),
  "raz continuous": watch("protocol=council-continuous&n=24&seed=3"),
};

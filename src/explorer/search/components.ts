/**
 * Strongly connected components, numbered: R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput.
 * 1(2), 1972; without recursion, since ways through a state space are long.
 */
export function components(size: number, successors: (vertex: number) => readonly number[]): Int32Array {
  const component = new Int32Array(size).fill(-1);
  const index = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const open: number[] = [];
  let indices = 0;
  let found = 0;

  const close = (root: number) => {
    for (let vertex = -1; vertex !== root; ) {
      vertex = open.pop()!;
      component[vertex] = found;
    }
    found++;
  };

  for (let start = 0; start < size; start++) {
    if (index[start] >= 0) continue;
    const path: { vertex: number; next: readonly number[]; done: number }[] = [];
    const enter = (vertex: number) => {
      index[vertex] = low[vertex] = indices++;
      open.push(vertex);
      path.push({ vertex, next: successors(vertex), done: 0 });
    };
    enter(start);
    while (path.length > 0) {
      const frame = path[path.length - 1];
      const { vertex, next } = frame;
      if (frame.done < next.length) {
        const target = next[frame.done++];
        if (index[target] < 0) enter(target);
        else if (component[target] < 0) low[vertex] = Math.min(low[vertex], index[target]);
        continue;
      }
      path.pop();
      if (path.length > 0) {
        const parent = path[path.length - 1].vertex;
        low[parent] = Math.min(low[parent], low[vertex]);
      }
      if (low[vertex] === index[vertex]) close(vertex);
    }
  }
  return component;
}

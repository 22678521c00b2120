/** Remembers results by their questions: searches ask the same again and again. Forgets everything when there are many. */
export function remembering<Q, A>(answer: (question: Q) => A, most = 1000): (question: Q) => A {
  const known = new Map<string, A>();
  return (question) => {
    const key = JSON.stringify(question);
    const old = known.get(key);
    if (old !== undefined) return old;
    const fresh = answer(question);
    if (known.size >= most) known.clear();
    known.set(key, fresh);
    return fresh;
  };
}

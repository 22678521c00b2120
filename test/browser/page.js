/** The page: starts the worker, and keeps what it says for the test to fetch. */
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });

window.answer = new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => resolve({ error: message });
});

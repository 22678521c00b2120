/** The search of the site: the index is loaded when somebody begins to type, by a script element, so that it works without a server. */
const { root } = document.currentScript.dataset;
const input = document.querySelector(".search input");
const list = document.querySelector(".search ol");
let index = null;

function load() {
  index ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = `${root}assets/index.js`;
    script.onload = () =>
      done(window.MiniSearch.loadJSON(window.sortitionSearch.index, window.sortitionSearch.options));
    document.head.append(script);
  });
  return index;
}

async function search() {
  const query = input.value.trim();
  const found =
    query === "" ? [] : (await load()).search(query, { prefix: true, fuzzy: 0.1, boost: { title: 4, page: 2 } });
  if (query !== input.value.trim()) return;
  const items = found.slice(0, 12).map(({ title, page, href }) => {
    const link = document.createElement("a");
    link.href = root + href;
    link.textContent = title;
    const where = document.createElement("small");
    where.textContent = title === page ? "" : page;
    link.append(where);
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  if (query !== "" && items.length === 0) {
    const item = document.createElement("li");
    item.textContent = `No page has "${query}".`;
    items.push(item);
  }
  list.replaceChildren(...items);
  list.hidden = items.length === 0;
}

input.addEventListener("input", search);
input.addEventListener("focus", () => void load());
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === "Escape") {
    list.hidden = true;
    input.blur();
  } else if (event.key === "Enter" && document.activeElement === input) {
    list.querySelector("a")?.click();
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden) {
    const links = [input, ...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    links[(at + (event.key === "ArrowDown" ? 1 : links.length - 1)) % links.length].focus();
  }
});

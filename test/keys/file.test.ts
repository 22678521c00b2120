/** A key file that is edited: comments stay, and whatever happens on the way there is the old file or the new one. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { editSecret, type FileCalls } from "../../src/live/files.ts";
import {
  idLike,
  idsIn,
  keyIdText,
  newKeyText,
  readKeyText,
  withFirst,
  withKey,
  withoutKey,
  writeKeyText,
} from "../../src/live/net/keyring.ts";
import { idOf, secret } from "./scene.ts";

const key = (number: number) => Buffer.from(secret(number)).toString("base64url");

describe("the text", () => {
  const text = `# the keys of our group\n\n${key(1)}\n# from spring\n${key(2)}\n\n# from summer\n# (two lines)\n${key(3)}\n# the end\n`;
  const read = () => readKeyText(text, "k");

  test("is the same when nothing is changed, also with other ends of lines", () => {
    expect(writeKeyText(read())).toBe(text);
    expect(writeKeyText(readKeyText(text.replaceAll("\n", "\r\n"), "k"))).toBe(text);
    expect(writeKeyText(readKeyText(key(1), "k"))).toBe(`${key(1)}\n`);
    expect(idsIn(read())).toEqual([1, 2, 3].map(idOf));
  });

  test("comments go with the key below them; those above the first key are the file's", () => {
    expect(writeKeyText(withFirst(read(), idOf(3)))).toBe(
      `# the keys of our group\n\n\n# from summer\n# (two lines)\n${key(3)}\n${key(1)}\n# from spring\n${key(2)}\n# the end\n`,
    );
    expect(writeKeyText(withoutKey(read(), idOf(1)))).toBe(
      `# the keys of our group\n\n# from spring\n${key(2)}\n\n# from summer\n# (two lines)\n${key(3)}\n# the end\n`,
    );
    expect(idsIn(withKey(read(), key(4)))).toEqual([1, 2, 3, 4].map(idOf));
    expect(writeKeyText(withKey(read(), key(4)))).toBe(`${text}${key(4)}\n`);
  });

  test("a key is named by the first digits of its id", () => {
    const [one, two] = [1, 2].map((number) => keyIdText(idOf(number)));
    expect(idLike(read(), one, "k")).toBe(idOf(1));
    expect(idLike(read(), two.slice(0, 3).toUpperCase(), "k")).toBe(idOf(2));
    expect(() => idLike(read(), "", "k")).toThrow("k has no key");
    expect(() => idLike(read(), "zz", "k")).toThrow(`k has no key zz: there are ${one}, ${two}`);
    let many = readKeyText(key(0), "k");
    for (let i = 1; i < 200; i++) many = withKey(many, key(i));
    expect(() => idLike(many, "1", "k")).toThrow("1 begins more than one id in k: write more of it");
  });
});

describe("the file", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sortition-key-file-"));
    file = join(folder, "group.key");
    writeFileSync(file, "old\n", { mode: 0o600 });
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const now = () => readFileSync(file, "utf8");
  const calls = (given: Partial<FileCalls>): FileCalls => ({
    write: (fd, bytes, at) => writeSync(fd, bytes, at),
    sync: () => {},
    rename: renameSync,
    ...given,
  });
  const failing = (code: string) => () => {
    throw Object.assign(new Error(code), { code, syscall: "write" });
  };

  test("is replaced with the same rights, and nothing is left beside it", () => {
    chmodSync(file, 0o400);
    const before = statSync(file).ino;
    editSecret(file, (path) => `${readFileSync(path, "utf8")}new\n`);
    expect(now()).toBe("old\nnew\n");
    expect(statSync(file).mode & 0o777).toBe(0o400);
    expect(statSync(file).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(["group.key"]);
  });

  test("that a link leads to is replaced, and the link stays", () => {
    const link = join(folder, "link.key");
    symlinkSync(file, link);
    editSecret(link, () => "new\n");
    expect(now()).toBe("new\n");
    expect(readFileSync(link, "utf8")).toBe("new\n");
    expect(readdirSync(folder).sort()).toEqual(["group.key", "link.key"]);
  });

  test.each([
    ["a full disk", { write: failing("ENOSPC") }, "the disk is full"],
    ["a full disk, noticed at the end", { sync: failing("ENOSPC") }, "the disk is full"],
    ["no room for this user", { write: failing("EDQUOT") }, "there is no room left for this user"],
    ["a broken disk", { sync: failing("EIO") }, "EIO"],
    ["a name that cannot be changed", { rename: failing("EPERM") }, "this user may not write there"],
  ])("%s leaves it as it was", (_, given, why) => {
    expect(() => editSecret(file, () => "new\n", calls(given))).toThrow(
      `${file} stays as it was, because it could not be written: ${why}`,
    );
    expect(now()).toBe("old\n");
    expect(readdirSync(folder)).toEqual(["group.key"]);
  });

  test("writes that take less than they were given are gone on with", () => {
    editSecret(
      file,
      () => "a long new text\n",
      calls({ write: (fd, bytes, at) => writeSync(fd, bytes, at, Math.min(3, bytes.length - at)) }),
    );
    expect(now()).toBe("a long new text\n");
  });

  // Root may write nearly anywhere: here nobody may.
  test("where nobody may write, or that is gone: in words", () => {
    expect(() => editSecret("/proc/version", () => "new\n")).toThrow(/stays as it was/);
    expect(() => editSecret(`${file}.none`, () => "new\n")).toThrow("it is not there");
  });

  test.each(["write", "sync", "rename"] as const)(
    "a process that is killed just before its %s leaves the old one, and the next edit goes through",
    (when) => {
      const dying = fileURLToPath(new URL("dying-editor.ts", import.meta.url));
      const { signal } = spawnSync(process.execPath, [dying, file, when]);
      expect(signal).toBe("SIGKILL");
      expect(now()).toBe("old\n");
      editSecret(file, () => "new\n");
      expect(now()).toBe("new\n");
      expect(readdirSync(folder)).toEqual(["group.key"]);
    },
  );

  test("who edits it at the same time is refused", () => {
    editSecret(file, () => {
      expect(() => editSecret(file, () => "other\n")).toThrow(/says that process \d+ uses/);
      return `${newKeyText()}\n`;
    });
  });
});

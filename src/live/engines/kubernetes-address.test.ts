/** Addresses of Kubernetes: what a kubeconfig or a pod says, and what is refused in words. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { InputError } from "../../errors.ts";
import { parametersOf, tlsIn } from "./http.ts";
import { kubernetesAddress } from "./kubernetes-address.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-kubeconfig-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "config");
writeFileSync(join(folder, "ca.pem"), "the ca");
writeFileSync(join(folder, "token"), " secret\n");

const config = (user: object, cluster: object = {}, context: object = {}) => ({
  "current-context": "here",
  contexts: [
    { name: "there", context: { cluster: "c", user: "nobody" } },
    { name: "here", context: { cluster: "c", user: "u", ...context } },
  ],
  clusters: [
    { name: "c", cluster: { server: "https://10.0.0.1:6443/", "certificate-authority": "ca.pem", ...cluster } },
  ],
  users: [{ name: "u", user }],
});
function read(content: object, query = "", env: NodeJS.ProcessEnv = {}) {
  writeFileSync(file, stringify(content));
  return kubernetesAddress(`kubernetes:?kubeconfig=${file}${query}`, env);
}

describe("a kubeconfig", () => {
  test("gives the server, the trusted certificate and the caller", () => {
    const { token, ...it } = read(config({ token: "t" }));
    expect(it).toEqual({
      name: "kubernetes:?namespace=default",
      server: "https://10.0.0.1:6443",
      namespace: "default",
      tls: { ca: "the ca", cert: undefined, key: undefined },
    });
    expect(token()).toBe("t");
  });

  test("has files beside it, or data in itself, which come first", () => {
    const data = (text: string) => Buffer.from(text).toString("base64");
    const user = { tokenFile: "token", "client-certificate-data": data("a cert"), "client-key-data": data("a key") };
    const { token, tls } = read(config(user, { "certificate-authority-data": data("other") }));
    expect([token(), tls]).toEqual(["secret", { ca: "other", cert: "a cert", key: "a key" }]);
    expect(read(config({})).token()).toBeNull();
  });

  test("has a namespace for each context, and the address comes first", () => {
    const given = config({ token: "t" }, {}, { namespace: "jobs" });
    expect(read(given).namespace).toBe("jobs");
    expect(read(given, "&namespace=mine")).toMatchObject({ namespace: "mine", name: "kubernetes:?namespace=mine" });
  });

  test("is the one of the environment if the address names none, also inside a cluster if it does", () => {
    read(config({ token: "t" }));
    expect(kubernetesAddress("kubernetes:", { KUBECONFIG: file }).server).toBe("https://10.0.0.1:6443");
    expect(read(config({}), "", { KUBERNETES_SERVICE_HOST: "10.9.9.9" }).server).toBe("https://10.0.0.1:6443");
  });

  test.each([
    ["a context that is not there", "&context=elsewhere", {}, 'has no context "elsewhere"'],
    ["a user that is not there", "&context=there", {}, 'has no user "nobody"'],
    ["a program for credentials", "", { exec: { command: "aws" } }, "gets credentials by a program"],
    ["a file that is not there", "", { "client-key": "no.key" }, "leases in Kubernetes need"],
    ["another parameter", "&space=x", {}, 'has "space", which is none of kubeconfig, context, namespace'],
  ])("with %s is refused in words", (_, query, user, words) => {
    expect(() => read(config(user), query)).toThrow(InputError);
    expect(() => read(config(user), query)).toThrow(words);
  });
});

test("in a pod without its service account the missing file is named", () => {
  expect(() => kubernetesAddress("kubernetes:", { KUBERNETES_SERVICE_HOST: "10.9.9.9" })).toThrow(
    "leases in Kubernetes need /var/run/secrets/kubernetes.io/serviceaccount",
  );
});

test.each(["kubernetes://x", "kubernetes", "k8s:"])("%s is no address", (address) => {
  expect(() => kubernetesAddress(address, {})).toThrow("the address of Kubernetes is kubernetes:");
});

test("parameters are checked by name, and files of certificates are read", () => {
  expect([...parametersOf("a=1&b=", ["a", "b"], "etcd")]).toEqual([
    ["a", "1"],
    ["b", ""],
  ]);
  expect(() => parametersOf("c=1", ["a", "b"], "etcd")).toThrow('the address of etcd has "c", which is none of a, b');
  expect(tlsIn(new Map([["ca", join(folder, "ca.pem")]]))).toEqual({ ca: "the ca", cert: undefined, key: undefined });
  expect(() => tlsIn(new Map([["key", join(folder, "none")]]))).toThrow("key: cannot read");
});

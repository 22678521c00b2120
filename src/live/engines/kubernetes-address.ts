/** Where the API of a Kubernetes cluster is, and who asks: as a pod's service account, or as a kubeconfig says. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { InputError } from "../../errors.ts";
import { parametersOf, type Tls } from "./http.ts";

export interface KubernetesAddress {
  readonly name: string;
  /** Such as https://10.0.0.1:443. */
  readonly server: string;
  readonly namespace: string;
  readonly tls: Tls;
  /** Read for each request: tokens of service accounts are replaced while a member runs. Null: a certificate says who asks. */
  readonly token: () => string | null;
}

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** In a cluster, or as the file of `kubeconfig=` says. */
export function kubernetesAddress(text: string, env: NodeJS.ProcessEnv = process.env): KubernetesAddress {
  const parts = /^kubernetes:(?:\?(.*))?$/i.exec(text);
  if (parts === null)
    throw new InputError("the address of Kubernetes is kubernetes: or kubernetes:?kubeconfig=FILE&namespace=NAME");
  const given = parametersOf(parts[1] ?? "", ["kubeconfig", "context", "namespace"], "Kubernetes");
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = env;
  const found = host !== undefined && !given.has("kubeconfig") ? inCluster(host, port) : fromFile(given, env);
  const namespace = given.get("namespace") ?? found.namespace;
  return { ...found, namespace, name: `kubernetes:?namespace=${namespace}` };
}

type Place = Omit<KubernetesAddress, "name">;

function inCluster(host: string, port: string): Place {
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    server,
    namespace: fileText(join(ACCOUNT, "namespace")).trim(),
    tls: { ca: fileText(join(ACCOUNT, "ca.crt")) },
    token: () => fileText(join(ACCOUNT, "token")).trim(),
  };
}

/** Users with a token or a certificate; programs that fetch credentials (`exec`) are not run. */
function fromFile(given: ReadonlyMap<string, string>, env: NodeJS.ProcessEnv): Place {
  const file = given.get("kubeconfig") ?? env.KUBECONFIG ?? join(homedir(), ".kube", "config");
  const config = parse(fileText(file));
  const wanted = given.get("context") ?? config["current-context"];
  const named = (list: { name: string }[] | undefined, name: string, what: string) => {
    const one = list?.find((each) => each.name === name) as Record<string, never> | undefined;
    if (one === undefined) throw new InputError(`${file} has no ${what} "${name}"`);
    return one[what] as Record<string, string>;
  };
  const context = named(config.contexts, wanted, "context");
  const cluster = named(config.clusters, context.cluster, "cluster");
  const user = named(config.users, context.user, "user");
  if (user.exec !== undefined)
    throw new InputError(`${file} gets credentials by a program, which is not run: use a token or a certificate`);
  const text = (of: Record<string, string>, key: string) => {
    if (of[`${key}-data`] !== undefined) return Buffer.from(of[`${key}-data`], "base64").toString();
    return of[key] === undefined ? undefined : fileText(resolve(dirname(file), of[key]));
  };
  const { token, tokenFile } = user;
  return {
    server: cluster.server.replace(/\/$/, ""),
    namespace: context.namespace ?? "default",
    tls: {
      ca: text(cluster, "certificate-authority"),
      cert: text(user, "client-certificate"),
      key: text(user, "client-key"),
    },
    token: () => (tokenFile === undefined ? (token ?? null) : fileText(resolve(dirname(file), tokenFile)).trim()),
  };
}

function fileText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new InputError(`leases in Kubernetes need ${file}: ${(error as Error).message}`);
  }
}

/** A certificate for localhost and 127.0.0.1 that signs itself, with its key, as files of this run. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";

export async function localCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const made = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    keySize: 2048,
    extensions: [
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  const folder = mkdtempSync(join(tmpdir(), "sortition-certificate-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(cert, made.cert);
  writeFileSync(key, made.private, { mode: 0o600 });
  return { cert, key };
}

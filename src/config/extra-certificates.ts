import { readFileSync } from "node:fs"

/**
 * The runtime ignores this variable if its file is unreadable. Providers that need the file then fail with a
 * certificate error.
 */
const VARIABLE = "NODE_EXTRA_CA_CERTS"

/**
 * Returns the problem with the file of additional certificate authorities; undefined if there is no problem or no file.
 */
export function extraCertificatesProblem(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const path = environment[VARIABLE]
  if (path === undefined || path === "") return undefined
  try {
    if (readFileSync(path, "utf8").includes("-----BEGIN CERTIFICATE-----")) return undefined
    return `${VARIABLE} names ${path}, which holds no certificate in PEM format`
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable"
    return `${VARIABLE} names ${path}, which cannot be read (${code})`
  }
}

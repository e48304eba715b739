import { expect, test } from "bun:test"
import { join } from "node:path"
import { extraCertificatesProblem } from "../../src/config/extra-certificates.ts"

const CERTIFICATES = join(import.meta.dir, "../wire/http/certificates")

function problemOf(path?: string): string | undefined {
  return extraCertificatesProblem(path === undefined ? {} : { NODE_EXTRA_CA_CERTS: path })
}

test("extra certificates are optional, and a file with a certificate is accepted", () => {
  expect(problemOf()).toBeUndefined()
  expect(problemOf("")).toBeUndefined()
  expect(problemOf(join(CERTIFICATES, "authority.pem"))).toBeUndefined()
})

test("a certificate file must exist and contain a certificate", () => {
  expect(problemOf(join(CERTIFICATES, "missing.pem"))).toContain("cannot be read (ENOENT)")
  expect(problemOf(join(CERTIFICATES, "server.key"))).toContain("no certificate")
})

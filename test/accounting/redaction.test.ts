import { expect, test } from "bun:test"
import type { AuditRecord } from "../../src/accounting/chained-records.ts"
import { ERASED, redactAudit } from "../../src/accounting/redaction.ts"
import { foldedEmail } from "../../src/accounting/email-address.ts"

function signIn(actorName: string): AuditRecord {
  return {
    number: 1,
    at: 1,
    actor: "user",
    actorId: null,
    actorName,
    address: null,
    action: "session.fail",
    account: null,
    target: null,
    before: null,
    after: null,
    previous: "",
    hash: "",
  } as unknown as AuditRecord
}

test.each(["JÜRGEN@example.com", "\u212Aim@Example.com"])(
  "redaction finds an email address with non-ASCII letters: %s",
  (address) => {
    const traces = { person: null, addresses: [foldedEmail(address)] }
    expect(redactAudit(signIn(address), traces)).toMatchObject({ actorName: ERASED })
  },
)

test("redaction keeps an email address that matches only after Unicode case folding", () => {
  const traces = { person: null, addresses: ["kim@example.com"] }
  expect(redactAudit(signIn("\u212Aim@example.com"), traces)).toBeUndefined()
})

import { expect, test } from "bun:test"
import { codeWithText } from "tollgate-contract/codes.ts"
import { KeyHasher } from "../../src/keys/secret.ts"
import { type Actor, COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { Codes } from "../../src/management/codes.ts"
import { TestDatabase } from "../store/test-database.ts"

const hasher = new KeyHasher("pepper".repeat(12))
const OWNER: Actor = { ...COMMAND_LINE, kind: "user", isOperator: false }

function codesOf(database: TestDatabase): Codes {
  return new Codes(database.store, new Audit(database.store), hasher)
}

test("a credit code is shown only once", async () => {
  await using database = await TestDatabase.open()
  const codes = codesOf(database)
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const order = { credits: "12.50", uses: 3, expires_at: expiresAt, note: "for the fair" }
  const created = await codes.create(COMMAND_LINE, order)
  expect(codeWithText.parse(created)).toEqual(created)
  expect(created).toMatchObject({
    credits: "12.5",
    uses: 3,
    used: 0,
    status: "active",
    expires_at: expiresAt,
    note: "for the fair",
    author: "command line",
    hint: created.code.slice(-4),
  })
  const { code, ...shown } = created
  expect(await codes.list(COMMAND_LINE, { limit: 5 })).toEqual({
    object: "list",
    data: [shown],
    next_cursor: null,
  })
  const kept = JSON.stringify([await database.store.audit.list({}, null, 9)])
  expect(kept).toContain("code.create")
  expect(kept).not.toContain(code)
})

test("credit codes are listed page by page, and are invalid after their revocation", async () => {
  await using database = await TestDatabase.open()
  const codes = codesOf(database)
  const ids: string[] = []
  for (let count = 0; count < 5; count++) {
    ids.unshift((await codes.create(COMMAND_LINE, { credits: "1", uses: 1 })).id)
  }
  const seen: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = await codes.list(COMMAND_LINE, { limit: 2, cursor })
    seen.push(...page.data.map(({ id }) => id))
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  expect(seen.toSorted()).toEqual(ids.toSorted())
  const [id = ""] = ids
  expect(await codes.revoke(COMMAND_LINE, id)).toMatchObject({ id, status: "revoked" })
  expect(await codes.revoke(COMMAND_LINE, id)).toMatchObject({ status: "revoked" })
  expect(await database.store.audit.list({ action: "code.revoke" }, null, 9)).toHaveLength(1)
})

test("only operators manage credit codes, whose expiry must be in the future", async () => {
  await using database = await TestDatabase.open()
  const codes = codesOf(database)
  const order = { credits: "1", uses: 1 }
  await expect(codes.create(OWNER, order)).rejects.toMatchObject({ kind: "forbidden" })
  await expect(codes.list(OWNER, { limit: 1 })).rejects.toMatchObject({ kind: "forbidden" })
  await expect(codes.revoke(OWNER, "x")).rejects.toMatchObject({ kind: "forbidden" })
  await expect(codes.revoke(COMMAND_LINE, "x")).rejects.toMatchObject({ kind: "not_found" })
  const late = codes.create(COMMAND_LINE, { ...order, expires_at: "2020-01-01T00:00:00Z" })
  await expect(late).rejects.toMatchObject({
    kind: "invalid_value",
    details: { parameter: "expires_at" },
  })
})

import { expect, test } from "bun:test"
import { Audit } from "../../src/management/audit.ts"
import { AuditLog } from "../../src/management/audit-log.ts"
import { auditPage, auditQuery } from "tollgate-contract/operations.ts"
import { TestDatabase } from "../store/test-database.ts"
import type { UserRecord } from "../../src/store/users.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

const ADA: UserRecord = {
  id: "user_1",
  name: "Ada",
  email: "ada@example.com",
  isOperator: false,
  isDisabled: false,
  hasTwoFactor: false,
  hasPassword: true,
  createdAt: 1,
  lastSeenAt: null,
}

function auditLogOf({ store }: TestDatabase): AuditLog {
  const list = async ({ search = "" }) => (ADA.email.includes(search) ? [ADA] : [])
  return new AuditLog(store, new Audit(store), { list })
}

async function audited(): Promise<TestDatabase> {
  const database = TestDatabase.direct()
  const audit = new Audit(database.store)
  await audit.record(OPERATOR, { action: "settings.change", after: { name: "x" } })
  await audit.record(userIn({ a: "owner" }), {
    action: "key.create",
    account: "a",
    target: "key_1",
  })
  await audit.record(OPERATOR, { action: "key.revoke", account: "b", target: "key_2" })
  return database
}

test("an audit record has the format of the API", async () => {
  await using database = await audited()
  const page = await auditLogOf(database).list(OPERATOR, auditQuery.parse({ limit: "1" }))
  expect(auditPage.parse(page)).toMatchObject({
    data: [
      {
        number: 3,
        actor: { kind: "user", id: "user_0", name: "operator@example.com" },
        action: "key.revoke",
        account: "b",
        target: "key_2",
        before: null,
        after: null,
        address: "203.0.113.7",
      },
    ],
    next_cursor: expect.any(String),
  })
  const cursor = page.next_cursor ?? ""
  const next = await auditLogOf(database).list(OPERATOR, auditQuery.parse({ cursor }))
  expect(next.data.map(({ number }) => number)).toEqual([2, 1])
  expect(next.data[1]?.after).toEqual({ name: "x" })
  expect(next.next_cursor).toBeNull()
})

test("audit records are visible to operators, and to owners for their own accounts", async () => {
  await using database = await audited()
  const log = auditLogOf(database)
  const numbers = async (actor = OPERATOR, filter = {}) =>
    (await log.list(actor, auditQuery.parse(filter))).data.map(({ number }) => number)
  expect(await numbers()).toEqual([3, 2, 1])
  expect(await numbers(OPERATOR, { account: "b" })).toEqual([3])
  expect(await numbers(OPERATOR, { action: "key.*", target: "key_1" })).toEqual([2])
  expect(await numbers(OPERATOR, { actor: "ada" })).toEqual([2])
  expect(await numbers(OPERATOR, { to: "2020-01-01T00:00:00Z" })).toEqual([])
  expect(await numbers(userIn({ a: "owner" }))).toEqual([2])
  expect(await numbers(userIn({ a: "owner", b: "member" }))).toEqual([2])
  expect(await kindOf(numbers(userIn({ a: "owner", b: "member" }), { account: "b" }))).toBe(
    "forbidden",
  )
  expect(await kindOf(numbers(userIn({ a: "member" })))).toBe("forbidden")
  expect(await kindOf(numbers(userIn({ a: "viewer" }), { account: "a" }))).toBe("forbidden")
  expect(await kindOf(numbers(userIn({ a: "owner" }), { account: "b" }))).toBe("not_found")
})

test("a search of the audit log finds actions, actors, people and the names of objects", async () => {
  await using database = await audited()
  const { store } = database
  const audit = new Audit(store)
  await database.account("a", 0n)
  await audit.record(OPERATOR, { action: "account.pause", account: "a", target: "a" })
  const about = { user: ADA.id }
  const after = { email: ADA.email, role: "owner" }
  const member = { account: "a", target: "member_1", after, about }
  await audit.record(OPERATOR, { action: "member.join", ...member })
  const invited = { account: "b", target: "invitation_1", about: { address: "new@example.com" } }
  await audit.record(OPERATOR, {
    action: "invitation.create",
    ...invited,
    after: { email: "new@example.com" },
  })
  await audit.record(OPERATOR, { action: "price_group.create", after: { name: "Partners" } })
  const log = auditLogOf(database)
  const found = async (search: string, actor = OPERATOR) =>
    (await log.list(actor, auditQuery.parse({ search }))).data.map(({ action }) => action)
  expect(await found("key: revoke")).toEqual(["key.revoke"])
  expect(await found("KEY_")).toEqual(["key.revoke", "key.create"])
  expect(await found("member_1")).toEqual(["member.join"])
  expect(await found(ADA.email)).toEqual(["member.join", "key.create"])
  expect(await found("ada@")).toEqual(["member.join", "key.create"])
  expect(await found("new@example.com")).toEqual(["invitation.create"])
  expect(await found("partner")).toEqual(["price_group.create"])
  expect(await found("name of a")).toEqual(["account.pause"])
  expect(await found("encrypted")).toEqual([])
  expect(await found(ADA.email, userIn({ a: "owner" }))).toEqual(["member.join", "key.create"])
  expect(await found("new@example.com", userIn({ a: "owner" }))).toEqual([])
  expect(await found("key", userIn({ a: "owner" }))).toEqual(["key.create"])
})

test("pages of long audit records contain only a few records each, and all records together", async () => {
  await using database = TestDatabase.direct()
  const audit = new Audit(database.store)
  const models = Array.from({ length: 2_000 }, (_, index) => `provider/${"x".repeat(80)}-${index}`)
  for (let index = 0; index < 60; index++) {
    await audit.record(OPERATOR, { action: "key.change", account: "a", after: { models } })
  }
  const log = auditLogOf(database)
  const numbers: number[] = []
  let cursor: string | undefined
  do {
    const query = { limit: "200", ...(cursor !== undefined && { cursor }) }
    const page = await log.list(userIn({ a: "owner" }), auditQuery.parse(query))
    expect(JSON.stringify(page).length).toBeLessThan(1_400_000)
    expect(page.data.length).toBeGreaterThan(0)
    numbers.push(...page.data.map(({ number }) => number))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  expect(numbers).toEqual(Array.from({ length: 60 }, (_, index) => 60 - index))
})

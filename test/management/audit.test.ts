import { expect, test } from "bun:test"
import { type Actor, COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { readableAudit } from "./readable-audit.ts"
import { TestDatabase } from "../store/test-database.ts"

const ADA: Actor = {
  kind: "user",
  id: "user_1",
  name: "ada@example.com",
  isOperator: false,
  roles: new Map([["a", "owner"]]),
  address: "203.0.113.7",
}

test("an audit record has the actor, the action, the values before and after it, and the IP address", async () => {
  await using database = TestDatabase.direct()
  const audit = new Audit(database.store)
  const after = { name: "Analytics", credits: "5" }
  const account = await audit.perform(
    ADA,
    { action: "account.create", account: "a", target: "a", after },
    (record) =>
      database.store.accounts.create({ id: "a", name: "Analytics", createdAt: 4 }, record),
  )
  expect(account).toMatchObject({ id: "a", balance: 0n })
  await audit.record(COMMAND_LINE, { action: "user.change", before: { name: "old" } })
  const [second, first] = await readableAudit(database.store, {})
  expect(first).toMatchObject({
    actorKind: "user",
    actorId: "user_1",
    actorName: "ada@example.com",
    action: "account.create",
    account: "a",
    target: "a",
    before: null,
    after,
    address: "203.0.113.7",
  })
  expect(second).toMatchObject({
    actorKind: "command",
    actorName: "command line",
    account: null,
    before: { name: "old" },
    after: null,
  })
})

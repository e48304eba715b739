import { expect, test } from "bun:test"
import { Accounts } from "../../src/management/accounts.ts"
import { COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { TestDatabase } from "../store/test-database.ts"

test("simultaneous changes of different fields of an account are both applied", async () => {
  await using database = await TestDatabase.open()
  const accounts = new Accounts(database.store, new Audit(database.store))
  const { id } = await accounts.create(COMMAND_LINE, { name: "Nimbus" })
  await accounts.change(COMMAND_LINE, id, { stores_content: true })
  await Promise.all([
    accounts.change(COMMAND_LINE, id, { stores_content: false }),
    accounts.change(COMMAND_LINE, id, { name: "Stratus" }),
  ])
  expect(await accounts.find(COMMAND_LINE, id)).toMatchObject({
    name: "Stratus",
    stores_content: false,
  })
})

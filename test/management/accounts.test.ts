import { expect, test } from "bun:test"
import { Accounts } from "../../src/management/accounts.ts"
import { COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { Book } from "../store/book.ts"

test("two changes at once are both made, each of what it says", async () => {
  await using book = Book.direct()
  const accounts = new Accounts(book.store, new Audit(book.store))
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

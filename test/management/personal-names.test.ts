import { expect, test } from "bun:test"
import { PersonalNames } from "../../src/management/personal-names.ts"
import { AUDIT } from "../store/audit-record.ts"
import { TestDatabase } from "../store/test-database.ts"

const ADA = { user: "user_ada" }

test("a name is encrypted in storage, and can be decrypted until the person is erased", async () => {
  await using database = TestDatabase.direct()
  const names = new PersonalNames(database.store)
  const [one = "", two = ""] = await names.encryptAll(ADA, ["ada@example.com", "ada@example.com"])
  expect(one).toMatch(/^encrypted:user_ada:[\w-]+$/)
  expect(one).not.toBe(two)
  const other = await names.encrypt({ address: "Bob@example.com" }, "böb")
  expect(await names.decrypt([one, null, "in clear", other])).toEqual([
    "ada@example.com",
    null,
    "in clear",
    "böb",
  ])
  const erased = { person: "user_ada", addresses: [], addressHashes: [], at: 1 }
  await database.store.personKeys.erase(erased, AUDIT)
  expect(await names.decrypt([one, other])).toEqual(["erased", "böb"])
  expect(await names.encrypt(ADA, "ada@example.com")).toBe("erased")
})

test("text that resembles an encrypted name stays unchanged", async () => {
  await using database = TestDatabase.direct()
  const names = new PersonalNames(database.store)
  const encrypted = await names.encrypt(ADA, "ada@example.com")
  await names.encrypt({ user: "user_bob" }, "bob")
  const moved = encrypted.replace("user_ada", "user_bob")
  const texts = [
    "encrypted:",
    "encrypted:user_ada",
    "encrypted:user_ada:",
    "encrypted:user_ada:AAAA",
    moved,
  ]
  expect(await names.decrypt(texts)).toEqual(texts)
  expect(await names.decrypt(["encrypted:user_nobody:AAAA"])).toEqual(["erased"])
})

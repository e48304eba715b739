import { expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { END_OF_THE_LOG, LockedDatabase } from "./locking-hand.ts"

test("two changes of an account at the same moment are both made", async () => {
  await using locked = await LockedDatabase.open()
  const { database } = locked
  const { store } = database
  await database.account("a", 0n)
  await locked.meet(
    END_OF_THE_LOG,
    () => store.accounts.update("a", { name: "new" }, AUDIT),
    () => store.accounts.update("a", { storesContent: true }, AUDIT),
  )
  expect(await store.accounts.find("a")).toMatchObject({ name: "new", storesContent: true })
})

test("a key and its account change at the same moment without waiting for each other", async () => {
  await using locked = await LockedDatabase.open()
  const { database } = locked
  const { store } = database
  await database.account("a", 0n)
  await database.key("k", "a", 5n)
  await locked.meet(
    "SELECT 1 FROM balances WHERE owner = 'k' FOR UPDATE",
    () => store.keys.update("k", { budget: 9n }, AUDIT),
    () => store.accounts.update("a", { storesContent: true }, AUDIT),
  )
  expect(await store.keys.find("k")).toMatchObject({ budget: 9n, storesContent: true })
  expect(await locked.countDeadlocks()).toBe(0n)
})

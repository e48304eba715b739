import { expect, test } from "bun:test"
import { ADA, Browser, openUsers, signIn } from "./support.ts"

const NEXT = "another fine password"

test("a changed password ends all other sessions, and the old password becomes invalid", async () => {
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const [here, elsewhere] = [new Browser(), new Browser("192.0.2.2")]
  await signIn(users, here)
  await signIn(users, elsewhere)
  await expect(users.own.changePassword(here, "not it at all", NEXT)).rejects.toMatchObject({
    kind: "invalid_value",
    details: { parameter: "current_password" },
  })
  here.keep(await users.own.changePassword(here, ADA.password, NEXT))
  expect(await users.sessionOf(here.cookie)).not.toBeNull()
  expect(await users.sessionOf(elsewhere.cookie)).toBeNull()
  await expect(signIn(users, elsewhere)).rejects.toMatchObject({ kind: "not_signed_in" })
  await signIn(users, elsewhere, { ...ADA, password: NEXT })
})

test("a password cannot be changed without a session", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  const change = open.users.own.changePassword(new Browser(), ADA.password, NEXT)
  await expect(change).rejects.toMatchObject({ kind: "not_signed_in" })
})

test("a reset link is valid once, ends all sessions of its user, and does not affect other users", async () => {
  using open = openUsers()
  const { users } = open
  const ada = await users.create(ADA)
  const bob = { ...ADA, email: "bob@example.com" }
  await users.create(bob)
  const [hers, theirs] = [new Browser(), new Browser("192.0.2.2")]
  await signIn(users, hers)
  await signIn(users, theirs, bob)
  const { token, expiresAt } = await users.createReset(ada.id)
  expect(expiresAt).toBeGreaterThan(Date.now() + 23 * 3_600_000)
  const visitor = new Browser("192.0.2.3")
  await expect(users.own.resetPassword(visitor, `${token}x`, NEXT)).rejects.toMatchObject({
    kind: "forbidden",
  })
  await users.own.resetPassword(visitor, token, NEXT)
  await expect(users.own.resetPassword(visitor, token, NEXT)).rejects.toMatchObject({
    kind: "forbidden",
  })
  expect(await users.sessionOf(hers.cookie)).toBeNull()
  expect(await users.sessionOf(theirs.cookie)).not.toBeNull()
  await signIn(users, hers, { ...ADA, password: NEXT })
  await expect(users.createReset("user_nobody")).rejects.toMatchObject({ kind: "not_found" })
})

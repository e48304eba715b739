import { expect, setSystemTime, test } from "bun:test"
import { Database } from "bun:sqlite"
import { join } from "node:path"
import { atFullCost } from "../support/quick-passwords.ts"
import { ADA, Browser, openUsers, signIn } from "./support.ts"

test("a password opens a session, and sign-out ends the session for every holder of the cookie", async () => {
  using open = openUsers()
  const { users } = open
  const ada = await users.create(ADA)
  const browser = new Browser()
  expect(await signIn(users, browser)).toEqual({ needsCode: false })
  const session = await users.sessionOf(browser.cookie)
  expect(session?.user).toMatchObject({ id: ada.id, email: ADA.email, hasPassword: true })
  expect((await users.find(ada.id))?.lastSeenAt).toBeGreaterThan(Date.now() - 10_000)
  expect(await users.sessions(ada.id)).toMatchObject([
    { id: session?.sessionId, address: "192.0.2.1", agent: "Test/1.0" },
  ])
  const stolen = browser.cookie
  browser.keep(await users.signOut(browser.cookie))
  expect(await users.sessionOf(browser.cookie)).toBeNull()
  expect(await users.sessionOf(stolen)).toBeNull()
  expect(open.heard).toEqual([])
})

test("a session and its end are visible in every process", async () => {
  using open = openUsers()
  const ada = await open.users.create(ADA)
  const other = open.another()
  const browser = new Browser()
  await signIn(open.users, browser)
  const session = await other.sessionOf(browser.cookie)
  expect(session?.user.id).toBe(ada.id)
  expect(await other.endSession("user_stranger", session?.sessionId ?? "")).toBe(false)
  expect(await other.endSession(ada.id, session?.sessionId ?? "")).toBe(true)
  expect(await open.users.sessionOf(browser.cookie)).toBeNull()
})

test("a forged cookie does not open a session", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  const browser = new Browser()
  await signIn(open.users, browser)
  const token = (browser.cookie ?? "").split("=")[1] ?? ""
  const other = token.startsWith("A") ? "B" : "A"
  for (const forged of [token.slice(1), `${token}.`, other + token.slice(1), "%00", ""]) {
    expect(await open.users.sessionOf(`tollgate.session_token=${forged}`)).toBeNull()
  }
})

test("a wrong password and an unknown email address return the same error", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  const wrong = { kind: "not_signed_in", message: "The email address or the password is wrong." }
  const browser = new Browser()
  await expect(
    signIn(open.users, browser, { ...ADA, password: "wrong password" }),
  ).rejects.toMatchObject(wrong)
  await expect(
    signIn(open.users, browser, { ...ADA, email: "nobody@example.com" }),
  ).rejects.toMatchObject(wrong)
})

test("password attempts are limited per user in all processes, and per IP address", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  const other = open.another()
  const guess = (number: number): Promise<unknown> =>
    signIn(number % 2 === 0 ? open.users : other, new Browser(`192.0.2.${number}`), {
      ...ADA,
      password: `guess number ${number}`,
    })
  const kinds = await Promise.all(
    Array.from({ length: 14 }, (_, number) => guess(number).catch((error) => error.kind)),
  )
  expect(kinds.filter((kind) => kind === "not_signed_in")).toHaveLength(10)
  expect(kinds.filter((kind) => kind === "too_many_attempts")).toHaveLength(4)
  // Even the correct password is rejected. Otherwise, an attacker could find out that a guess is correct.
  await expect(signIn(open.users, new Browser("192.0.2.99"))).rejects.toMatchObject({
    kind: "too_many_attempts",
    details: { retryAfter: expect.any(Number) },
  })
})

test("frequent successful sign-ins are not limited", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  const browser = new Browser()
  for (let round = 0; round < 12; round++) await signIn(open.users, browser)
  expect((await open.users.sessionOf(browser.cookie))?.user.email).toBe(ADA.email)
})

test("a disabled user loses all sessions and cannot get a new one", async () => {
  using open = openUsers()
  const { users } = open
  const ada = await users.create(ADA)
  const browser = new Browser()
  await signIn(users, browser)
  await users.change(ada.id, { isDisabled: true })
  expect(await users.sessionOf(browser.cookie)).toBeNull()
  await expect(signIn(users, browser)).rejects.toMatchObject({ kind: "forbidden" })
  await users.change(ada.id, { isDisabled: false })
  expect(await users.sessionOf(browser.cookie)).toBeNull()
  await signIn(users, browser)
  expect(await users.sessionOf(browser.cookie)).not.toBeNull()
})

test("simultaneous attempts create only one first user, and one operator always remains", async () => {
  using open = openUsers()
  const { users } = open
  expect(await users.hasOperator()).toBe(false)
  const firsts = await Promise.allSettled(
    ["a", "b", "c"].map((name) => users.createFirst({ ...ADA, email: `${name}@example.com` })),
  )
  const made = firsts.flatMap((first) => (first.status === "fulfilled" ? [first.value] : []))
  expect(made).toHaveLength(1)
  const [first] = made
  if (!first) throw new Error("no first user")
  expect(first.isOperator).toBe(true)
  await expect(users.change(first.id, { isOperator: false })).rejects.toThrow("last operator")
  await expect(users.change(first.id, { isDisabled: true })).rejects.toThrow("last operator")
  const second = await users.create(ADA)
  await users.change(second.id, { isOperator: true })
  await users.change(first.id, { isOperator: false })
  await expect(users.change(second.id, { isDisabled: true })).rejects.toThrow("last operator")
})

test("two users cannot have the same email address, even with different letter case", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  await expect(open.users.create({ ...ADA, email: "ADA@example.com" })).rejects.toMatchObject({
    kind: "conflict",
    details: { parameter: "email" },
  })
})

test("the user list can be searched, and is returned page by page", async () => {
  using open = openUsers()
  for (const [second, name] of ["Ada", "Bob", "Cleo"].entries()) {
    setSystemTime(new Date(2026, 0, 1, 0, 0, second))
    await open.users.create({ ...ADA, name, email: `${name.toLowerCase()}@example.com` })
  }
  setSystemTime()
  const names = async (filter: Parameters<typeof open.users.list>[0]): Promise<string[]> =>
    (await open.users.list(filter)).map((user) => user.name)
  expect(await names({ limit: 10 })).toEqual(["Ada", "Bob", "Cleo"])
  expect(await names({ limit: 10, search: "BO" })).toEqual(["Bob"])
  expect(await names({ limit: 10, search: "%" })).toEqual([])
  const [first] = await open.users.list({ limit: 1 })
  expect(await names({ limit: 10, after: first })).toEqual(["Bob", "Cleo"])
})

test("passwords are stored as argon2id, and no stored secret opens a session", () =>
  atFullCost(async () => {
    using open = openUsers()
    await open.users.create(ADA)
    const browser = new Browser()
    await signIn(open.users, browser)
    const file = new Database(join(open.data, "console.db"), { readonly: true })
    const user = file.query<{ password_hash: string }, []>("SELECT password_hash FROM users").get()
    const session = file
      .query<{ id: string; token_hash: string }, []>("SELECT id, token_hash FROM sessions")
      .get()
    file.close()
    expect(user?.password_hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$")
    for (const stolen of [session?.id, session?.token_hash]) {
      expect(await open.users.sessionOf(`tollgate.session_token=${stolen}`)).toBeNull()
    }
  }))

test("an expired session is rejected, and a session in use is extended", async () => {
  using open = openUsers()
  const ada = await open.users.create(ADA)
  const browser = new Browser()
  await signIn(open.users, browser)
  const file = new Database(join(open.data, "console.db"))
  const ends = (milliseconds: number): void =>
    void file.run("UPDATE sessions SET expires_at = ?", [Date.now() + milliseconds])
  ends(24 * 3_600_000)
  const cookies = await open.users.renew(browser.cookie ?? "")
  expect(cookies[0]).toStartWith("tollgate.session_token=")
  const [session] = await open.users.sessions(ada.id)
  expect(session?.expiresAt).toBeGreaterThan(Date.now() + 6 * 24 * 3_600_000)
  ends(-1)
  file.close()
  expect(await open.users.sessionOf(browser.cookie)).toBeNull()
  expect(await open.users.sessions(ada.id)).toEqual([])
})

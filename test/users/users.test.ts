import { expect, setDefaultTimeout, test } from "bun:test"
import { Database } from "bun:sqlite"
import { join } from "node:path"
import { getMigrations } from "better-auth/db/migration"
import { authOptions } from "../../src/users/auth-server.ts"
import { openConsoleDatabase } from "../../src/store/console-database.ts"
import { Passwords } from "../../src/users/passwords.ts"
import { ADA, Browser, openUsers, signIn } from "./support.ts"

// Passwords are hashed on purpose slowly, and a busy machine has little time.
setDefaultTimeout(30_000)

test("our tables are those that better-auth needs", async () => {
  using open = openUsers()
  const database = openConsoleDatabase(open.data)
  const { toBeCreated, toBeAdded } = await getMigrations(
    authOptions({
      database,
      secret: "x".repeat(64),
      passwords: new Passwords(),
      origin: "http://tollgate.internal",
      isDisabled: () => false,
      isInvited: async () => false,
      onFailure: () => {},
    }),
  )
  database.close()
  expect(toBeCreated).toEqual([])
  expect(toBeAdded).toEqual([])
})

test("a password opens a session, and signing out ends it for anyone who has the cookie", async () => {
  using open = openUsers()
  const { users } = open
  const ada = await users.create(ADA)
  const browser = new Browser()
  expect(await signIn(users, browser)).toEqual({ needsCode: false })
  const session = await users.sessionOf(browser.cookie)
  expect(session?.user).toMatchObject({ id: ada.id, email: ADA.email, hasPassword: true })
  expect(users.find(ada.id)?.lastSeenAt).toBeGreaterThan(Date.now() - 10_000)
  expect(users.sessions(ada.id)).toMatchObject([
    { id: session?.sessionId, address: "192.0.2.1", agent: "Test/1.0" },
  ])
  const stolen = browser.cookie
  browser.keep(await users.signIn.signOut(browser))
  expect(await users.sessionOf(browser.cookie)).toBeNull()
  expect(await users.sessionOf(stolen)).toBeNull()
  expect(open.heard).toEqual([])
})

test("a session is known in every process, and so is its end", async () => {
  using open = openUsers()
  const ada = await open.users.create(ADA)
  const other = open.another()
  const browser = new Browser()
  await signIn(open.users, browser)
  const session = await other.sessionOf(browser.cookie)
  expect(session?.user.id).toBe(ada.id)
  expect(other.endSession("user_stranger", session?.sessionId ?? "")).toBe(false)
  expect(other.endSession(ada.id, session?.sessionId ?? "")).toBe(true)
  expect(await open.users.sessionOf(browser.cookie)).toBeNull()
})

test("a cookie that we did not sign is no one's", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  const browser = new Browser()
  await signIn(open.users, browser)
  const [token = ""] = (browser.cookie ?? "").split("=")[1]?.split(".") ?? []
  for (const forged of [token, `${token}.`, `${token}.${"A".repeat(43)}%3D`, "%00", ""]) {
    expect(await open.users.sessionOf(`tollgate.session_token=${forged}`)).toBeNull()
  }
})

test("a wrong password and an unknown address say the same", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  const wrong = { kind: "not_signed_in", message: "The e-mail address or the password is wrong." }
  const browser = new Browser()
  await expect(
    signIn(open.users, browser, { ...ADA, password: "wrong password" }),
  ).rejects.toMatchObject(wrong)
  await expect(
    signIn(open.users, browser, { ...ADA, email: "nobody@example.com" }),
  ).rejects.toMatchObject(wrong)
})

test("guessing is limited for each user, in all processes, and from each address", async () => {
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
  // Not even the right password: a guesser would learn that it is.
  await expect(signIn(open.users, new Browser("192.0.2.99"))).rejects.toMatchObject({
    kind: "too_many_attempts",
    details: { retryAfter: expect.any(Number) },
  })
})

test("signing in often is no guessing", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  const browser = new Browser()
  for (let round = 0; round < 12; round++) await signIn(open.users, browser)
  expect((await open.users.sessionOf(browser.cookie))?.user.email).toBe(ADA.email)
})

test("a disabled user has no session and gets none", async () => {
  using open = openUsers()
  const { users } = open
  const ada = await users.create(ADA)
  const browser = new Browser()
  await signIn(users, browser)
  users.change(ada.id, { isDisabled: true })
  expect(await users.sessionOf(browser.cookie)).toBeNull()
  await expect(signIn(users, browser)).rejects.toMatchObject({ kind: "forbidden" })
  users.change(ada.id, { isDisabled: false })
  expect(await users.sessionOf(browser.cookie)).toBeNull()
  await signIn(users, browser)
  expect(await users.sessionOf(browser.cookie)).not.toBeNull()
})

test("there is one first user, however many try at once, and one operator always stays", async () => {
  using open = openUsers()
  const { users } = open
  expect(users.hasOperator()).toBe(false)
  const firsts = await Promise.allSettled(
    ["a", "b", "c"].map((name) => users.createFirst({ ...ADA, email: `${name}@example.com` })),
  )
  const made = firsts.flatMap((first) => (first.status === "fulfilled" ? [first.value] : []))
  expect(made).toHaveLength(1)
  const [first] = made
  if (!first) throw new Error("no first user")
  expect(first.isOperator).toBe(true)
  expect(() => users.change(first.id, { isOperator: false })).toThrow("last operator")
  expect(() => users.change(first.id, { isDisabled: true })).toThrow("last operator")
  const second = await users.create(ADA)
  users.change(second.id, { isOperator: true })
  users.change(first.id, { isOperator: false })
  expect(() => users.change(second.id, { isDisabled: true })).toThrow("last operator")
})

test("two users cannot have one address, whatever its letters", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  await expect(open.users.create({ ...ADA, email: "ADA@example.com" })).rejects.toMatchObject({
    kind: "conflict",
    details: { parameter: "email" },
  })
})

test("the list is searched and read page by page", async () => {
  using open = openUsers()
  for (const name of ["Ada", "Bob", "Cleo"]) {
    await open.users.create({ ...ADA, name, email: `${name.toLowerCase()}@example.com` })
  }
  const names = (filter: Parameters<typeof open.users.list>[0]): string[] =>
    open.users.list(filter).map((user) => user.name)
  expect(names({ limit: 10 })).toEqual(["Ada", "Bob", "Cleo"])
  expect(names({ limit: 10, search: "BO" })).toEqual(["Bob"])
  expect(names({ limit: 10, search: "%" })).toEqual([])
  const [first] = open.users.list({ limit: 1 })
  expect(names({ limit: 10, after: first })).toEqual(["Bob", "Cleo"])
})

test("passwords are kept as argon2id, and no secret of the file opens a session by itself", async () => {
  using open = openUsers()
  await open.users.create(ADA)
  const browser = new Browser()
  await signIn(open.users, browser)
  const file = new Database(join(open.data, "console.db"), { readonly: true })
  const account = file.query<{ password: string }, []>("SELECT password FROM account").get()
  const session = file.query<{ token: string }, []>("SELECT token FROM session").get()
  file.close()
  expect(account?.password).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$")
  expect(await open.users.sessionOf(`tollgate.session_token=${session?.token}`)).toBeNull()
})

test("a session that is over opens nothing; one that is used lives on", async () => {
  using open = openUsers()
  const ada = await open.users.create(ADA)
  const browser = new Browser()
  await signIn(open.users, browser)
  const file = new Database(join(open.data, "console.db"))
  const ends = (milliseconds: number): void =>
    void file.run("UPDATE session SET expiresAt = ?", [
      new Date(Date.now() + milliseconds).toISOString(),
    ])
  ends(24 * 3_600_000)
  const cookies = await open.users.renew(browser.cookie ?? "")
  expect(cookies[0]).toStartWith("tollgate.session_token=")
  const [session] = open.users.sessions(ada.id)
  expect(session?.expiresAt).toBeGreaterThan(Date.now() + 6 * 24 * 3_600_000)
  ends(-1)
  file.close()
  expect(await open.users.sessionOf(browser.cookie)).toBeNull()
  expect(open.users.sessions(ada.id)).toEqual([])
})

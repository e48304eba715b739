import { afterEach, expect, setSystemTime, test } from "bun:test"
import { Database } from "bun:sqlite"
import { join } from "node:path"
import type { Users } from "../../src/users/users.ts"
import { startIssuer } from "./fake-issuer.ts"
import { atFullCost } from "../support/quick-passwords.ts"
import { ADA, Browser, openUsers, signIn } from "./support.ts"
import { totp } from "./totp.ts"

afterEach(() => setSystemTime())

const ORIGIN = "http://127.0.0.1:8787"
const CODE = { kind: "totp", trustDevice: false } as const

async function withTwoFactor(users: Users): Promise<string> {
  await users.create(ADA)
  const browser = new Browser()
  await signIn(users, browser)
  const { secret } = await users.own.beginTwoFactor(browser, ADA.password)
  browser.take(await users.signIn.withCode(browser, { ...CODE, code: totp(secret) }))
  return secret
}

function kindOf(error: unknown): string {
  return error instanceof Error && "kind" in error ? String(error.kind) : String(error)
}

test("a sign-in never reuses a session that the browser already has", async () => {
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const eve = { ...ADA, email: "eve@example.com" }
  await users.create(eve)
  const attacker = new Browser()
  await signIn(users, attacker, eve)
  const victim = new Browser("192.0.2.2")
  victim.cookie = attacker.cookie
  await signIn(users, victim)
  expect((await users.sessionOf(attacker.cookie))?.user.email).toBe(eve.email)
  expect((await users.sessionOf(victim.cookie))?.user.email).toBe(ADA.email)
})

test("a session cookie set by another host of the same domain does not take over the session", async () => {
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const eve = { ...ADA, email: "eve@example.com" }
  await users.create(eve)
  const [attacker, victim] = [new Browser(), new Browser("192.0.2.2")]
  await signIn(users, attacker, eve)
  await signIn(users, victim)
  expect(await users.sessionOf(`${attacker.cookie}; ${victim.cookie}`)).toBeNull()
  expect(await users.sessionOf(`${victim.cookie}; ${attacker.cookie}`)).toBeNull()
  const twice = await users.sessionOf(`${victim.cookie}; ${victim.cookie}`)
  expect(twice?.user.email).toBe(ADA.email)
})

test("a second factor gives its browser a new session, and the previous session ends", async () => {
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const browser = new Browser()
  await signIn(users, browser)
  const before = browser.cookie
  const { secret } = await users.own.beginTwoFactor(browser, ADA.password)
  browser.take(await users.signIn.withCode(browser, { ...CODE, code: totp(secret) }))
  expect(await users.sessionOf(before)).toBeNull()
  const during = browser.cookie
  browser.keep(await users.own.endTwoFactor(browser, ADA.password))
  expect(await users.sessionOf(during)).toBeNull()
  expect(await users.sessionOf(browser.cookie)).not.toBeNull()
})

test("an authenticator code opens only one session, even if several browsers send the code", async () => {
  using open = openUsers()
  const { users } = open
  const secret = await withTwoFactor(users)
  const code = totp(secret, Date.now() + 30_000)
  const tries = await Promise.allSettled(
    Array.from({ length: 4 }, async (_, number) => {
      const browser = new Browser(`192.0.2.${number}`)
      await signIn(users, browser)
      return users.signIn.withCode(browser, { ...CODE, code })
    }),
  )
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  const browser = new Browser()
  await signIn(users, browser)
  // Neither the same code nor an earlier code that is still valid is accepted again.
  for (const used of [code, totp(secret)]) {
    await expect(users.signIn.withCode(browser, { ...CODE, code: used })).rejects.toMatchObject({
      kind: "invalid_value",
      message: expect.stringContaining("been used already"),
    })
  }
})

test("an authenticator remains valid if the clock is set back", async () => {
  using open = openUsers()
  const { users } = open
  const now = Date.now()
  setSystemTime(new Date(now + 365 * 24 * 3_600_000))
  const secret = await withTwoFactor(users)
  setSystemTime(new Date(now))
  const browser = new Browser()
  await signIn(users, browser)
  browser.take(await users.signIn.withCode(browser, { ...CODE, code: totp(secret) }))
  expect(await users.sessionOf(browser.cookie)).not.toBeNull()
})

test("ten wrong codes in a row lock the second factor, even if correct passwords were entered in between", async () => {
  using open = openUsers()
  const { users } = open
  const secret = await withTwoFactor(users)
  const wrong = { ...CODE, code: totp(secret, Date.now() - 600_000) }
  const kinds: string[] = []
  for (let round = 0; round < 3; round++) {
    const browser = new Browser(`192.0.2.${round}`)
    await signIn(users, browser)
    for (let guess = 0; guess < 4; guess++) {
      await users.signIn.withCode(browser, wrong).catch((error) => kinds.push(kindOf(error)))
    }
  }
  expect(kinds).toEqual([...Array(10).fill("invalid_value"), ...Array(2).fill("too_many_attempts")])
  const browser = new Browser("192.0.2.9")
  await signIn(users, browser)
  const right = (): Promise<unknown> =>
    users.signIn.withCode(browser, { ...CODE, code: totp(secret, Date.now() + 30_000) })
  await expect(right()).rejects.toMatchObject({
    kind: "too_many_attempts",
    details: { retryAfter: 900 },
  })
  setSystemTime(new Date(Date.now() + 16 * 60_000))
  browser.cookie = null
  await signIn(users, browser)
  await right()
})

test("simultaneous guesses count like successive guesses", async () => {
  using open = openUsers()
  const { users } = open
  const secret = await withTwoFactor(users)
  const browser = new Browser()
  await signIn(users, browser)
  const guesses = await Promise.all(
    Array.from({ length: 8 }, (_, guess) =>
      users.signIn
        .withCode(browser, { ...CODE, code: totp(secret, Date.now() - 600_000 - guess * 30_000) })
        .catch(kindOf),
    ),
  )
  expect(guesses.filter((kind) => kind === "invalid_value")).toHaveLength(5)
})

test("a pending sign-in ends if the password changes", async () => {
  using open = openUsers()
  const { users } = open
  const secret = await withTwoFactor(users)
  const attacker = new Browser("192.0.2.66")
  const { token } = await users.createReset((await users.findByEmail(ADA.email))?.id ?? "")
  await signIn(users, attacker)
  await users.own.resetPassword(new Browser(), token, "another fine password")
  const late = users.signIn.withCode(attacker, {
    ...CODE,
    code: totp(secret, Date.now() + 30_000),
  })
  await expect(late).rejects.toMatchObject({ kind: "not_signed_in" })
})

/** Changes the password while a sign-in compares the old password. The change ends the sessions of the old password. */
async function changeMeanwhile(data: string, begun: Promise<unknown>): Promise<void> {
  begun.catch(() => {})
  // The hash has already been read. The comparison takes much longer than this turn.
  await new Promise((resolve) => setImmediate(resolve))
  const file = new Database(join(data, "console.db"))
  file.run("UPDATE users SET password_hash = 'of another password'")
  file.run("DELETE FROM sessions")
  file.run("DELETE FROM proofs")
  file.close()
}

test("a sign-in with the old password fails if the password is changed at the same time", async () => {
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const file = new Database(join(open.data, "console.db"))
  await atFullCost(async () => {
    const hash = await Bun.password.hash(ADA.password, { algorithm: "bcrypt", cost: 12 })
    file.run("UPDATE users SET password_hash = ?", [hash])
  })
  file.close()
  const browser = new Browser()
  const begun = signIn(users, browser)
  await changeMeanwhile(open.data, begun)
  await expect(begun).rejects.toMatchObject({ kind: "not_signed_in" })
  expect(await users.sessionOf(browser.cookie)).toBeNull()
})

test("codes are limited per session, regardless of the browser's other cookies", async () => {
  using open = openUsers()
  const { users } = open
  const secret = await withTwoFactor(users)
  const browser = new Browser()
  await signIn(users, browser)
  const code = totp(secret, Date.now() + 30_000)
  browser.take(await users.signIn.withCode(browser, { ...CODE, code }))
  const kinds: string[] = []
  for (let guess = 0; guess < 12; guess++) {
    const thief = new Browser()
    thief.cookie = `tollgate.two_factor=guess-${guess}; ${browser.cookie}`
    const wrong = { ...CODE, code: totp(secret, Date.now() - 600_000 - guess * 30_000) }
    await users.signIn.withCode(thief, wrong).catch((error) => kinds.push(kindOf(error)))
  }
  expect(kinds).toEqual([...Array(10).fill("invalid_value"), ...Array(2).fill("too_many_attempts")])
})

test("no browser remains trusted after the second factor is turned off", async () => {
  using open = openUsers()
  const { users } = open
  const secret = await withTwoFactor(users)
  const trusted = new Browser()
  await signIn(users, trusted)
  const code = totp(secret, Date.now() + 30_000)
  trusted.take(await users.signIn.withCode(trusted, { ...CODE, code, trustDevice: true }))
  const here = new Browser()
  here.cookie = trusted.cookie
  here.keep(await users.own.endTwoFactor(here, ADA.password))
  const { secret: next } = await users.own.beginTwoFactor(here, ADA.password)
  here.take(await users.signIn.withCode(here, { ...CODE, code: totp(next) }))
  expect(await signIn(users, trusted)).toEqual({ needsCode: true })
})

test("a stored proof is valid only for the purpose for which it was created", async () => {
  using open = openUsers()
  const { users } = open
  await withTwoFactor(users)
  const browser = new Browser()
  await signIn(users, browser)
  const challenge = /tollgate\.two_factor=([^;]+)/.exec(browser.cookie ?? "")?.[1] ?? ""
  expect(challenge).toHaveLength(43)
  await expect(
    users.own.resetPassword(browser, challenge, "another fine password"),
  ).rejects.toMatchObject({ kind: "forbidden" })
  const forged = new Browser()
  forged.cookie = `tollgate.session_token=${challenge}; tollgate.trust_device=${challenge}`
  expect(await users.sessionOf(forged.cookie)).toBeNull()
  expect(await signIn(users, forged)).toEqual({ needsCode: true })
})

test("a response for one issuer is never sent to another issuer", async () => {
  await using honest = await startIssuer()
  await using evil = await startIssuer()
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const other = { ...evil.settings, id: "other", name: "Another" }
  const browser = new Browser()
  const { url, cookies } = await users.issuers.toIssuer(browser, {
    issuer: honest.settings,
    origin: ORIGIN,
    returnTo: "/console/",
  })
  browser.keep(cookies)
  const query = new URL(honest.authorize(url)).search
  const mixed = await users.issuers.fromIssuer(browser, { issuer: other, trusted: [], query })
  expect(mixed).toMatchObject({ session: null, rejection: "state_mismatch" })
  const named = new URLSearchParams(query)
  named.set("iss", evil.url)
  expect(
    await users.issuers.fromIssuer(browser, {
      issuer: honest.settings,
      trusted: [],
      query: `?${named}`,
    }),
  ).toMatchObject({ session: null })
})

test("a response that names another issuer is rejected", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const browser = new Browser()
  const input = { issuer: issuer.settings, origin: ORIGIN, returnTo: "/console/" }
  const { url, cookies } = await users.issuers.toIssuer(browser, input)
  browser.keep(cookies)
  const query = `${new URL(issuer.authorize(url)).search}&iss=https%3A%2F%2Fevil.example.com`
  const response = await users.issuers.fromIssuer(browser, {
    issuer: issuer.settings,
    trusted: [],
    query,
  })
  expect(response).toMatchObject({ session: null, rejection: "issuer_mismatch" })
})

test("a code of another user's sign-in does not sign that user in", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const input = { issuer: issuer.settings, origin: ORIGIN, returnTo: "/console/" }
  const [theirs, own] = [new Browser(), new Browser()]
  const victim = await users.issuers.toIssuer(theirs, input)
  const stolen = new URL(issuer.authorize(victim.url)).searchParams.get("code") ?? ""
  const { url, cookies } = await users.issuers.toIssuer(own, input)
  own.keep(cookies)
  const state = new URL(url).searchParams.get("state") ?? ""
  const query = `?${new URLSearchParams({ code: stolen, state })}`
  const response = await users.issuers.fromIssuer(own, {
    issuer: issuer.settings,
    trusted: [],
    query,
  })
  expect(response).toMatchObject({ session: null, rejection: "invalid_code" })
})

test("a sign-in at an issuer expires after ten minutes", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const browser = new Browser()
  const input = { issuer: issuer.settings, origin: ORIGIN, returnTo: "/console/" }
  const { url, cookies } = await users.issuers.toIssuer(browser, input)
  browser.keep(cookies)
  const query = new URL(issuer.authorize(url)).search
  setSystemTime(new Date(Date.now() + 11 * 60_000))
  expect(
    await users.issuers.fromIssuer(browser, { issuer: issuer.settings, trusted: [], query }),
  ).toMatchObject({ session: null, rejection: "state_mismatch" })
})

test("a sign-in with an unknown email address takes as long as one with a wrong password", () =>
  atFullCost(async () => {
    using open = openUsers()
    const { users } = open
    await users.create(ADA)
    const timeOf = async (email: string): Promise<number> => {
      const begin = performance.now()
      await signIn(users, new Browser(email), { email, password: "wrong password" }).catch(() => {})
      return performance.now() - begin
    }
    const known: number[] = []
    const unknown: number[] = []
    for (let round = 0; round < 7; round++) {
      known.push(await timeOf(ADA.email))
      unknown.push(await timeOf(`nobody-${round}@example.com`))
    }
    const median = (times: number[]): number => times.toSorted((a, b) => a - b)[3] ?? 0
    // If no password were hashed for unknown users, the time would be a hundredth.
    expect(median(unknown)).toBeGreaterThan(median(known) / 3)
    expect(median(unknown)).toBeLessThan(median(known) * 3)
  }))

test("a sign-in waits for a database that another process has locked briefly", async () => {
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const holder = Bun.spawn({
    cmd: [
      process.execPath,
      "-e",
      `const { Database } = require("bun:sqlite")
       const file = new Database(${JSON.stringify(join(open.data, "console.db"))})
       file.run("BEGIN IMMEDIATE")
       console.log("locked")
       setTimeout(() => { file.run("COMMIT"); file.close() }, 300)`,
    ],
    stdout: "pipe",
  })
  await holder.stdout.getReader().read()
  await signIn(users, new Browser())
  expect(await holder.exited).toBe(0)
})

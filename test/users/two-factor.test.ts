import { expect, test } from "bun:test"
import type { Users } from "../../src/users/users.ts"
import { ADA, Browser, openUsers, signIn } from "./support.ts"
import { totp } from "./totp.ts"

const CODE = { kind: "totp", trustDevice: false } as const

/** Returns the next code, because the current code may already have been used. */
function nextCode(secret: string): string {
  return totp(secret, Date.now() + 30_000)
}

/** Creates a user with a second factor, and returns the backup codes. */
async function withTwoFactor(
  users: Users,
): Promise<{ secret: string; backupCodes: readonly string[] }> {
  await users.create(ADA)
  const browser = new Browser()
  await signIn(users, browser)
  const { secret, backupCodes } = await users.own.beginTwoFactor(browser, ADA.password)
  browser.take(await users.signIn.withCode(browser, { ...CODE, code: totp(secret) }))
  expect((await users.sessionOf(browser.cookie))?.user.hasTwoFactor).toBe(true)
  return { secret, backupCodes }
}

test("the second-factor code is required after the password, and no session exists before it is entered", async () => {
  using open = openUsers()
  const { users } = open
  const { secret } = await withTwoFactor(users)
  const browser = new Browser()
  expect(await signIn(users, browser)).toEqual({ needsCode: true })
  expect(await users.sessionOf(browser.cookie)).toBeNull()
  const wrong = { ...CODE, code: totp(secret, Date.now() - 600_000) }
  await expect(users.signIn.withCode(browser, wrong)).rejects.toMatchObject({
    kind: "invalid_value",
    details: { parameter: "code" },
  })
  const code = nextCode(secret)
  const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
  browser.take(await users.signIn.withCode(browser, { ...CODE, code: spaced }))
  expect((await users.sessionOf(browser.cookie))?.user.email).toBe(ADA.email)
})

test("the second factor is inactive before its first code, and its setup requires the password", async () => {
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const browser = new Browser()
  await signIn(users, browser)
  await expect(users.own.beginTwoFactor(browser, "not the password")).rejects.toMatchObject({
    kind: "invalid_value",
    details: { parameter: "password" },
  })
  const { uri } = await users.own.beginTwoFactor(browser, ADA.password)
  expect(uri).toStartWith("otpauth://totp/Tollgate:ada%40example.com?")
  expect(await signIn(users, new Browser())).toEqual({ needsCode: false })
})

test("a user can enter five second-factor codes per password, and must then sign in again", async () => {
  using open = openUsers()
  const { users } = open
  const { secret } = await withTwoFactor(users)
  const browser = new Browser()
  await signIn(users, browser)
  const outcomes: string[] = []
  for (let guess = 0; guess < 6; guess++) {
    const wrong = { ...CODE, code: totp(secret, Date.now() - 600_000 - guess * 30_000) }
    await users.signIn.withCode(browser, wrong).catch((error) => outcomes.push(error.kind))
  }
  expect(outcomes).toEqual([...Array(5).fill("invalid_value"), "not_signed_in"])
  const late = users.signIn.withCode(browser, { ...CODE, code: nextCode(secret) })
  await expect(late).rejects.toMatchObject({ kind: "not_signed_in" })
})

test("a backup code is valid once", async () => {
  using open = openUsers()
  const { users } = open
  const { backupCodes } = await withTwoFactor(users)
  const order = { kind: "backup-code", code: backupCodes[0] ?? "", trustDevice: false } as const
  const browser = new Browser()
  await signIn(users, browser)
  browser.take(await users.signIn.withCode(browser, order))
  expect(await users.sessionOf(browser.cookie)).not.toBeNull()
  const again = new Browser()
  await signIn(users, again)
  await expect(users.signIn.withCode(again, order)).rejects.toMatchObject({ kind: "invalid_value" })
  const fresh = await users.own.newBackupCodes(browser, ADA.password)
  expect(fresh).toHaveLength(backupCodes.length)
  expect(fresh).not.toContain(backupCodes[1])
})

test("a trusted browser requires the second-factor code only once, and other browsers always require it", async () => {
  using open = openUsers()
  const { users } = open
  const { secret } = await withTwoFactor(users)
  const browser = new Browser()
  await signIn(users, browser)
  browser.take(
    await users.signIn.withCode(browser, { ...CODE, code: nextCode(secret), trustDevice: true }),
  )
  browser.keep(await users.signOut(browser.cookie))
  expect(await signIn(users, browser)).toEqual({ needsCode: false })
  expect(await signIn(users, new Browser())).toEqual({ needsCode: true })
  // Users who lost their password may have lost the trusted browser too.
  await users.createReset((await users.findByEmail(ADA.email))?.id ?? "")
  expect(await signIn(users, browser)).toEqual({ needsCode: true })
})

test("the user turns the second factor off with the password, or an operator turns it off for a user who lost it", async () => {
  using open = openUsers()
  const { users } = open
  const { secret } = await withTwoFactor(users)
  const browser = new Browser()
  await signIn(users, browser)
  browser.take(await users.signIn.withCode(browser, { ...CODE, code: nextCode(secret) }))
  browser.keep(await users.own.endTwoFactor(browser, ADA.password))
  expect(await signIn(users, new Browser())).toEqual({ needsCode: false })
  const { secret: next } = await users.own.beginTwoFactor(browser, ADA.password)
  browser.take(await users.signIn.withCode(browser, { ...CODE, code: totp(next) }))
  expect(await signIn(users, new Browser())).toEqual({ needsCode: true })
  await users.removeTwoFactor((await users.findByEmail(ADA.email))?.id ?? "")
  expect(await signIn(users, new Browser())).toEqual({ needsCode: false })
})

test("a disabled user cannot sign in with a second-factor code", async () => {
  using open = openUsers()
  const { users } = open
  const { secret } = await withTwoFactor(users)
  const browser = new Browser()
  await signIn(users, browser)
  await users.change((await users.findByEmail(ADA.email))?.id ?? "", { isDisabled: true })
  await expect(
    users.signIn.withCode(browser, { ...CODE, code: nextCode(secret) }),
  ).rejects.toMatchObject({ kind: "forbidden" })
})

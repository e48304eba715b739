import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import { openConsoleFile } from "../../src/store/sqlite/sign-in/console-file.ts"
import { expect, test } from "bun:test"
import { Database } from "bun:sqlite"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CONSOLE_SCHEMA } from "../../src/store/sqlite/schemas/console.ts"
import { Users } from "../../src/users/users.ts"
import { startIssuer } from "./fake-issuer.ts"
import { ADA, Browser, signIn } from "./support.ts"
import { totp } from "./totp.ts"

const SESSION_SECRET = "6595ec7740842d8f0ea5c94f5f1de18dc879bb9eea5caf524cef842301d42ccd"
const TOTP_SECRET = "JNKU4WDNKRJHO4S2JRMGEWSJKFKVGUCFJ5IVKZDHKR3GGWTRGZLQ"
const [USED_CODE, BACKUP_CODE] = ["tshs1-7IT6Q", "oW5ba-EfqXD"] as const
const RESET_TOKEN = "OQ_lPJNKXOTP3uho-3QpEhTzduSEsWzguwTReYELOfs"
const OLD_COOKIE =
  "tollgate.session_token=feK9A9upGoQLOKRs6kID96LmK4wvXGAu.NofnHzw0mgFSpTma%2FWig3Hmm0%2F6WuXBETA0AE2rszwg%3D"
const BOB = { email: "bob@example.com", password: "bobs fine password" }

interface Old extends Disposable {
  readonly users: Users
}

/** The users of a data folder that the first version of the console wrote. */
function openOld(): Old {
  const data = mkdtempSync(join(tmpdir(), "tollgate-old-users-"))
  mkdirSync(join(data, "secrets"))
  writeFileSync(join(data, "secrets", "session-secret"), SESSION_SECRET)
  const file = new Database(join(data, "console.db"), { create: true })
  file.run(CONSOLE_SCHEMA.steps[0] ?? "")
  file.run(readFileSync(join(import.meta.dir, "console-of-schema-1.sql"), "utf8"))
  file.run("PRAGMA user_version = 1")
  file.close()
  const users = new Users({
    store: openConsoleFile(data),
    secrets: new SecretFolder(data),
    isInvited: async () => false,
    onFailure: () => {},
  })
  return {
    users,
    [Symbol.dispose]() {
      users[Symbol.dispose]()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

test("users of the first version are there, with all that they are", async () => {
  using old = openOld()
  const list = await old.users.list({ limit: 10 })
  expect(list).toMatchObject([
    { name: "Olga", isOperator: true, hasPassword: true, hasTwoFactor: false, isDisabled: false },
    { name: "Ada", isOperator: false, hasPassword: true, hasTwoFactor: true, lastSeenAt: null },
    { name: "Bob", hasPassword: true, hasTwoFactor: false },
    { name: "Dan", isDisabled: true },
    { name: "Cleo", email: "cleo@example.com", hasPassword: false },
  ])
  expect(list[0]?.createdAt).toBe(Date.parse("2026-11-23T02:58:06.795Z"))
})

test("passwords, authenticator apps and backup codes of the first version go on working", async () => {
  using old = openOld()
  const { users } = old
  const browser = new Browser()
  expect(await signIn(users, browser)).toEqual({ needsCode: true })
  const code = { kind: "totp", code: totp(TOTP_SECRET), trustDevice: false } as const
  browser.take(await users.signIn.withCode(browser, code))
  expect((await users.sessionOf(browser.cookie))?.user.email).toBe(ADA.email)
  const other = new Browser()
  await signIn(users, other)
  const used = { kind: "backup-code", code: USED_CODE, trustDevice: false } as const
  await expect(users.signIn.withCode(other, used)).rejects.toMatchObject({ kind: "invalid_value" })
  other.take(await users.signIn.withCode(other, { ...used, code: BACKUP_CODE }))
  expect(await users.sessionOf(other.cookie)).not.toBeNull()
})

test("a second factor that was not confirmed can be begun again", async () => {
  using old = openOld()
  const { users } = old
  const browser = new Browser()
  expect(await signIn(users, browser, BOB)).toEqual({ needsCode: false })
  const { secret } = await users.own.beginTwoFactor(browser, BOB.password)
  const code = { kind: "totp", code: totp(secret), trustDevice: false } as const
  browser.take(await users.signIn.withCode(browser, code))
  expect(await signIn(users, new Browser(), BOB)).toEqual({ needsCode: true })
})

test("who came from an issuer comes in again as the same user, whatever their address is now", async () => {
  await using issuer = await startIssuer()
  using old = openOld()
  const { users } = old
  for (const [sub, name] of [
    ["cleo-at-company", "Cleo"],
    ["olga-at-company", "Olga"],
  ] as const) {
    issuer.person = { sub, email: "new@example.com", email_verified: false, name: "Changed" }
    const browser = new Browser()
    const input = { issuer: issuer.settings, origin: "http://127.0.0.1:8787" }
    const going = await users.issuers.toIssuer(browser, { ...input, returnTo: "/console/" })
    browser.keep(going.cookies)
    const query = new URL(issuer.authorize(going.url)).search
    browser.take(await users.issuers.fromIssuer(browser, { ...input, trusted: [], query }))
    expect((await users.sessionOf(browser.cookie))?.user.name).toBe(name)
  }
})

test("a link that sets a password works after the upgrade, and old sessions are over", async () => {
  using old = openOld()
  const { users } = old
  expect(await users.sessionOf(OLD_COOKIE)).toBeNull()
  const next = "another fine password"
  await users.own.resetPassword(new Browser(), RESET_TOKEN, next)
  await signIn(users, new Browser(), { ...BOB, password: next })
})

import { expect, test } from "bun:test"
import type { OidcSettings } from "../../src/config/sections/sign-in.ts"
import { linkHashOf } from "../../src/users/issuers.ts"
import { type FakeIssuer, startIssuer } from "./fake-issuer.ts"
import { ADA, Browser, openUsers, signIn, type TestUsers } from "./support.ts"
import { totp } from "./totp.ts"

const ORIGIN = "http://127.0.0.1:8787"
const CONFIRM = "/console/sign-in?error=account_not_linked"
const CODE = { kind: "totp", trustDevice: false } as const

/**
 * Follows the redirects to an issuer and back.
 * @returns the final address of the browser.
 */
async function walk(
  { users }: TestUsers,
  issuer: FakeIssuer,
  browser: Browser,
  { trusted = [], ...rules }: Partial<OidcSettings> & { readonly trusted?: readonly string[] } = {},
): Promise<string> {
  const settings: OidcSettings = { ...issuer.settings, linkUsers: "confirmed", ...rules }
  const order = { issuer: settings, origin: ORIGIN }
  const start = await users.issuers.toIssuer(browser, { ...order, returnTo: "/console/keys?a=1" })
  browser.keep(start.cookies)
  browser.linkToken = start.linkToken
  const { search: query } = new URL(issuer.authorize(start.url))
  const reply = await users.issuers.fromIssuer(browser, { ...order, trusted, query })
  browser.take(reply)
  return reply.location
}

/** Links the identity that the signed-in user of a browser confirms, as the service does for each new session. */
async function confirm({ users }: TestUsers, browser: Browser) {
  const session = await users.sessionOf(browser.cookie)
  if (!session) throw new Error("no session")
  return await users.issuers.confirm(session.user, linkHashOf(browser))
}

test("two issuers that verify the same address cannot take over a user with a password", async () => {
  await using first = await startIssuer()
  await using second = await startIssuer()
  using open = openUsers()
  const ada = await open.users.create(ADA)
  for (const [issuer, id] of [
    [first, "company"],
    [second, "other"],
  ] as const) {
    const stranger = new Browser()
    expect(await walk(open, issuer, stranger, { id })).toBe(CONFIRM)
    expect(await walk(open, issuer, stranger, { id })).toBe(CONFIRM)
    expect(await open.users.sessionOf(stranger.cookie)).toBeNull()
    expect(await open.users.identities(ada.id)).toEqual([])
  }
})

test("an issuer that a user has not confirmed cannot take over the user of another issuer", async () => {
  await using first = await startIssuer()
  await using second = await startIssuer()
  using open = openUsers()
  open.invited.add(ADA.email)
  expect(await walk(open, first, new Browser(), { id: "company" })).toBe("/console/keys?a=1")
  const stranger = new Browser()
  expect(await walk(open, second, stranger, { id: "other" })).toBe(CONFIRM)
  expect(await open.users.sessionOf(stranger.cookie)).toBeNull()
  // The same browser signs in with the first issuer, which confirms the identity at the second issuer.
  expect(await walk(open, first, stranger, { id: "company" })).toBe("/console/keys?a=1")
  expect(await confirm(open, stranger)).toMatchObject({ provider: "other" })
  expect(await walk(open, second, new Browser(), { id: "other" })).toBe("/console/keys?a=1")
})

test("a user confirms an issuer by signing in again, once and in the same browser", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const ada = await open.users.create(ADA)
  const eve = { name: "Eve", email: "eve@example.com", password: "another long password" }
  await open.users.create(eve)
  const browser = new Browser()
  expect(await walk(open, issuer, browser)).toBe(CONFIRM)
  // Neither another person in this browser nor Ada in another browser can confirm the identity.
  await signIn(open.users, browser, eve)
  expect(await confirm(open, browser)).toBeUndefined()
  const elsewhere = new Browser()
  await signIn(open.users, elsewhere)
  expect(await confirm(open, elsewhere)).toBeUndefined()
  expect(await walk(open, issuer, new Browser())).toBe(CONFIRM)
  await signIn(open.users, browser)
  expect(await confirm(open, browser)).toMatchObject({ provider: "company" })
  expect(await confirm(open, browser)).toBeUndefined()
  const next = new Browser()
  expect(await walk(open, issuer, next)).toBe("/console/keys?a=1")
  expect((await open.users.sessionOf(next.cookie))?.user.id).toBe(ada.id)
})

test("cookies of another browser's flow do not link that browser's identity to the user who signs in", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const ada = await open.users.create(ADA)
  const attacker = new Browser()
  expect(await walk(open, issuer, attacker)).toBe(CONFIRM)
  const victim = new Browser()
  victim.cookie = attacker.cookie
  await signIn(open.users, victim)
  expect(await confirm(open, victim)).toBeUndefined()
  expect(await open.users.identities(ada.id)).toEqual([])
})

test("an issuer that the operator trusts with email addresses links users by email address", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const ada = await open.users.create(ADA)
  const browser = new Browser()
  const rules = { linkUsers: "verified_email" } as const
  expect(await walk(open, issuer, browser, rules)).toBe("/console/keys?a=1")
  expect((await open.users.sessionOf(browser.cookie))?.user.id).toBe(ada.id)
})

test("linking by email address removes every other sign-in to an account created by another person", async () => {
  await using company = await startIssuer()
  await using other = await startIssuer()
  using open = openUsers()
  const { users } = open
  const ada = await users.create(ADA)
  const inviter = new Browser()
  await signIn(users, inviter)
  const reset = await users.createReset(ada.id)
  // The inviter also has an identity at an issuer that accepts any address.
  expect(await walk(open, other, inviter, { id: "other" })).toBe(CONFIRM)
  await signIn(users, inviter)
  expect(await confirm(open, inviter)).toMatchObject({ provider: "other" })

  const owner = new Browser()
  const rules = { linkUsers: "verified_email", trusted: ["company"] } as const
  expect(await walk(open, company, owner, rules)).toBe("/console/keys?a=1")
  expect((await users.sessionOf(owner.cookie))?.user).toMatchObject({
    id: ada.id,
    hasPassword: false,
  })
  expect(await users.sessionOf(inviter.cookie)).toBeNull()
  await expect(signIn(users, new Browser())).rejects.toMatchObject({ kind: "not_signed_in" })
  await expect(users.own.checkReset(inviter, reset.token)).rejects.toMatchObject({
    kind: "forbidden",
  })
  expect(await walk(open, other, inviter, { id: "other" })).toBe(CONFIRM)
  expect(await users.identities(ada.id)).toEqual([{ provider: "company", subject: "1" }])
})

test("two issuers that are trusted with email addresses keep each other's links", async () => {
  await using first = await startIssuer()
  await using second = await startIssuer()
  using open = openUsers()
  await open.users.create(ADA)
  const trusted = ["first", "second"]
  const browsers = [new Browser(), new Browser()]
  for (const [index, issuer] of [first, second].entries()) {
    const rules = { id: trusted[index] ?? "", linkUsers: "verified_email", trusted } as const
    const browser = browsers[index] ?? new Browser()
    expect(await walk(open, issuer, browser, rules)).toBe("/console/keys?a=1")
  }
  const rules = { id: "first", linkUsers: "verified_email", trusted } as const
  expect(await walk(open, first, new Browser(), rules)).toBe("/console/keys?a=1")
  expect(await open.users.sessionOf(browsers[1]?.cookie ?? null)).not.toBeNull()
})

test("a disabled user is not linked to an issuer", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const ada = await open.users.create(ADA)
  await open.users.change(ada.id, { isDisabled: true })
  const rules = { linkUsers: "verified_email" } as const
  expect(await walk(open, issuer, new Browser(), rules)).toBe("/console/sign-in?error=disabled")
  expect(await open.users.identities(ada.id)).toEqual([])
})

test("a user with a second factor enters the code after the issuer's sign-in, unless the issuer confirms a second factor", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const { users } = open
  await users.create(ADA)
  const own = new Browser()
  await signIn(users, own)
  const { secret, backupCodes } = await users.own.beginTwoFactor(own, ADA.password)
  own.take(await users.signIn.withCode(own, { ...CODE, code: totp(secret) }))
  const linked = { linkUsers: "verified_email" } as const

  const browser = new Browser()
  expect(await walk(open, issuer, browser, linked)).toBe(
    "/console/sign-in?step=code&back=%2Fkeys%3Fa%3D1",
  )
  expect(await users.sessionOf(browser.cookie)).toBeNull()
  const wrong = { kind: "backup-code", trustDevice: false, code: "wrong-wrong" } as const
  await expect(users.signIn.withCode(browser, wrong)).rejects.toMatchObject({
    kind: "invalid_value",
  })
  expect(await users.sessionOf(browser.cookie)).toBeNull()
  const right = { kind: "backup-code", trustDevice: true, code: backupCodes[0] ?? "" } as const
  browser.take(await users.signIn.withCode(browser, right))
  expect((await users.sessionOf(browser.cookie))?.user.email).toBe(ADA.email)

  // A trusted browser needs no code again, for several sign-ins in a row.
  expect(await walk(open, issuer, browser, linked)).toBe("/console/keys?a=1")

  const vouched = new Browser()
  expect(await walk(open, issuer, vouched, { ...linked, secondFactor: "issuer" })).toBe(
    "/console/keys?a=1",
  )
  expect((await users.sessionOf(vouched.cookie))?.user.email).toBe(ADA.email)
})

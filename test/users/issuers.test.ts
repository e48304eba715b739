import { expect, test } from "bun:test"
import { PER_ADDRESS } from "../../src/users/attempt-limits.ts"
import { type FakeIssuer, startIssuer } from "./fake-issuer.ts"
import { ADA, Browser, openUsers, signIn, type TestUsers } from "./support.ts"

const ORIGIN = "http://127.0.0.1:8787"

/**
 * Follows the redirects to the issuer and back.
 * @returns the final address of the browser.
 */
async function walk(
  { users }: TestUsers,
  issuer: FakeIssuer,
  browser: Browser,
): Promise<string | null> {
  const order = { issuer: issuer.settings, trusted: ["company"], origin: ORIGIN }
  const { url, cookies } = await users.issuers.toIssuer(browser, {
    ...order,
    returnTo: "/console/keys",
  })
  browser.keep(cookies)
  const back = new URL(issuer.authorize(url))
  expect(back.origin + back.pathname).toBe(`${ORIGIN}/admin/v1/auth/callback/company`)
  const reply = await users.issuers.fromIssuer(browser, { ...order, query: back.search })
  browser.take(reply)
  return reply.location
}

test("a user signs in with the email address that the issuer has verified, and remains the same user", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const ada = await open.users.create(ADA)
  for (let round = 0; round < 2; round++) {
    const browser = new Browser()
    expect(await walk(open, issuer, browser)).toBe("/console/keys")
    expect((await open.users.sessionOf(browser.cookie))?.user.id).toBe(ada.id)
  }
})

test("an invited person becomes a user, and an uninvited person does not", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const stranger = new Browser()
  expect(await walk(open, issuer, stranger)).toContain("/console/sign-in?error=not_invited")
  expect(await open.users.sessionOf(stranger.cookie)).toBeNull()
  expect(await open.users.list({ limit: 10 })).toEqual([])
  open.invited.add("ada@example.com")
  const guest = new Browser()
  expect(await walk(open, issuer, guest)).toBe("/console/keys")
  const session = await open.users.sessionOf(guest.cookie)
  expect(session?.user).toMatchObject({
    name: "Ada",
    email: "ada@example.com",
    isOperator: false,
    hasPassword: false,
  })
})

test("claims of an issuer that no database can store are rejected", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const { person } = issuer
  open.invited.add(person.email)
  for (const claim of ["sub", "email", "name"] as const) {
    for (const text of ["a\0b", "a\ud800b"]) {
      issuer.person = { ...person, [claim]: text }
      expect(await walk(open, issuer, new Browser())).toContain("error=unable_to_get_user_info")
    }
  }
  expect(await open.users.list({ limit: 10 })).toEqual([])
})

test("an issuer's subject that is empty or longer than 255 characters is rejected", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const { person } = issuer
  open.invited.add(person.email)
  for (const sub of ["", "s".repeat(256)]) {
    issuer.person = { ...person, sub }
    expect(await walk(open, issuer, new Browser())).toContain("/console/sign-in?error=")
  }
  expect(await open.users.list({ limit: 10 })).toEqual([])
  issuer.person = { ...person, sub: "s".repeat(255) }
  expect(await walk(open, issuer, new Browser())).toBe("/console/keys")
})

test("an unverified email address does not sign a user in", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  await open.users.create(ADA)
  issuer.person = { ...issuer.person, email_verified: false }
  const browser = new Browser()
  expect(await walk(open, issuer, browser)).toContain("/console/sign-in?error=")
  open.invited.add("eve@example.com")
  issuer.person = { ...issuer.person, sub: "2", email: "eve@example.com" }
  expect(await walk(open, issuer, browser)).toContain("error=email_not_verified")
  expect(await open.users.sessionOf(browser.cookie)).toBeNull()
  expect(await open.users.list({ limit: 10 })).toHaveLength(1)
})

test("Entra's verified domain is accepted in place of a verified email address", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const { email_verified: _, ...person } = issuer.person
  open.invited.add(person.email)
  const rejected = [
    {},
    { xms_edov: false },
    { xms_edov: "0" },
    { email_verified: false, xms_edov: true },
  ]
  for (const claims of rejected) {
    issuer.person = { ...person, ...claims } as never
    expect(await walk(open, issuer, new Browser())).toContain("error=email_not_verified")
  }
  issuer.person = { ...person, xms_edov: true } as never
  expect(await walk(open, issuer, new Browser())).toBe("/console/keys")
})

test("an issuer's claims cannot make a user an operator", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  open.invited.add("ada@example.com")
  issuer.person = { ...issuer.person, isOperator: true, is_operator: true } as never
  const browser = new Browser()
  await walk(open, issuer, browser)
  expect((await open.users.sessionOf(browser.cookie))?.user.isOperator).toBe(false)
})

test("a disabled user cannot sign in through an issuer", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const ada = await open.users.create(ADA)
  await open.users.change(ada.id, { isDisabled: true })
  const browser = new Browser()
  expect(await walk(open, issuer, browser)).toContain("/console/sign-in?error=disabled")
  expect(await open.users.sessionOf(browser.cookie)).toBeNull()
})

for (const fault of ["wrong_key", "wrong_nonce", "wrong_audience"] as const) {
  test(`an issuer's token with a ${fault.replace("_", " ")} is rejected`, async () => {
    await using issuer = await startIssuer()
    using open = openUsers()
    await open.users.create(ADA)
    issuer.fault = fault
    const browser = new Browser()
    expect(await walk(open, issuer, browser)).toContain("/console/sign-in?error=")
    expect(await open.users.sessionOf(browser.cookie)).toBeNull()
  })
}

test("an issuer's token for another authorized party is rejected", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  open.invited.add(issuer.person.email)
  const { person } = issuer
  issuer.person = { ...person, azp: "another-client" } as never
  expect(await walk(open, issuer, new Browser())).toContain("/console/sign-in?error=")
  issuer.person = { ...person, azp: issuer.settings.clientId } as never
  expect(await walk(open, issuer, new Browser())).toBe("/console/keys")
})

test("an issuer's address with the Kelvin sign does not match an address with a k", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  const kim = { name: "Kim", email: "kim@example.com", password: "another long password" }
  await open.users.create(kim)
  open.invited.add("kai@example.com")
  for (const name of ["im", "ai"]) {
    issuer.person = { ...issuer.person, sub: name, email: `\u212a${name}@example.com` }
    const browser = new Browser()
    expect(await walk(open, issuer, browser)).toContain("/console/sign-in?error=")
    expect(await open.users.sessionOf(browser.cookie)).toBeNull()
  }
  issuer.person = { ...issuer.person, sub: "kim", email: "KIM@Example.com" }
  const browser = new Browser()
  expect(await walk(open, issuer, browser)).toBe("/console/keys")
  expect((await open.users.sessionOf(browser.cookie))?.user.email).toBe(kim.email)
})

test("an issuer's callback belongs to one browser and is valid once", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  await open.users.create(ADA)
  const { users } = open
  const order = { issuer: issuer.settings, trusted: ["company"], origin: ORIGIN }
  const browser = new Browser()
  const { url, cookies } = await users.issuers.toIssuer(browser, {
    ...order,
    returnTo: "/console/",
  })
  const { search: query } = new URL(issuer.authorize(url))
  const other = new Browser("192.0.2.2")
  other.take(await users.issuers.fromIssuer(other, { ...order, query }))
  expect(await users.sessionOf(other.cookie)).toBeNull()
  browser.keep(cookies)
  browser.take(await users.issuers.fromIssuer(browser, { ...order, query }))
  const again = new Browser()
  again.keep(cookies)
  again.take(await users.issuers.fromIssuer(again, { ...order, query }))
  expect(await users.sessionOf(again.cookie)).toBeNull()
})

test("an issuer that is unavailable or misconfigured affects only its own sign-ins", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  await open.users.create(ADA)
  for (const fault of ["away", "wrong_issuer", "script", "no_address"] as const) {
    issuer.fault = fault
    await expect(walk(open, issuer, new Browser())).rejects.toMatchObject({
      kind: "upstream_error",
    })
    await signIn(open.users, new Browser())
  }
  issuer.fault = "none"
  expect(await walk(open, issuer, new Browser())).toBe("/console/keys")
})

test("a sign-in after an issuer has replaced its key uses the new key", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  await open.users.create(ADA)
  expect(await walk(open, issuer, new Browser())).toBe("/console/keys")
  await issuer.replaceKey()
  expect(await walk(open, issuer, new Browser())).toBe("/console/keys")
})

test("an issuer's callback shows an error page during an outage, or if there are too many callbacks", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  await open.users.create(ADA)
  const order = { issuer: issuer.settings, trusted: ["company"], origin: ORIGIN }
  const browser = new Browser()
  const returnTo = "/console/"
  const { url, cookies } = await open.users.issuers.toIssuer(browser, { ...order, returnTo })
  browser.keep(cookies)
  const { search: query } = new URL(issuer.authorize(url))
  issuer.fault = "away"
  // This process has not fetched the issuer's description yet.
  const { issuers } = open.another()
  expect(await issuers.fromIssuer(browser, { ...order, query })).toMatchObject({
    session: null,
    location: "/console/sign-in?error=upstream_error",
  })
  expect(open.heard).toEqual([expect.stringContaining("status 503")])
  const responses = Array.from({ length: 60 }, () =>
    issuers.fromIssuer(browser, { ...order, query }),
  )
  expect((await Promise.all(responses)).at(-1)).toMatchObject({
    session: null,
    location: "/console/sign-in?error=too_many_attempts",
  })
  expect(open.heard).toHaveLength(1)
})

test("many users can sign in from one IP address", async () => {
  await using issuer = await startIssuer()
  using open = openUsers()
  await open.users.create(ADA)
  for (let person = 0; person < PER_ADDRESS.max; person++) {
    expect(await walk(open, issuer, new Browser())).toBe("/console/keys")
  }
})

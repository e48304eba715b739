import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import type { Cookie, Page } from "playwright-core"
import { ask, type ConsoleGateway, OPERATOR, setUp, startConsole } from "./console-gateway.ts"
import { type Forgery, type Issuer, startIssuer } from "./issuer.ts"

let tollgate: ConsoleGateway
let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer()
  tollgate = await startConsole(issuer.yaml)
  await issuer.admit(tollgate.url)
  await using operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
})

afterAll(async () => {
  await tollgate[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

/** Begins with the button of the console, and signs in on the issuer's pages. */
async function goToIssuerByButton(page: Page, login: string): Promise<void> {
  await page.goto("/console/sign-in?back=/keys")
  await page.getByRole("button", { name: "Sign in with Our company" }).click()
  await enterLogin(page, login)
}

/** Begins with the request that the button of the console sends, and signs in on the issuer's pages. */
async function goToIssuer(page: Page, login: string): Promise<void> {
  await page.goto(await addressAtIssuer(page))
  await enterLogin(page, login)
}

/** Returns the address at the issuer at which a sign-in begins. */
async function addressAtIssuer(page: Page): Promise<string> {
  const order = { provider: "company", return_to: "/console/keys" }
  const { body } = await ask(page, "POST", "/auth/sign-in/oidc", order)
  return String(body["url"])
}

/** Enters a login on the issuer's pages, and stops before the page that asks for consent. */
async function enterLogin(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(login)
  await page.getByPlaceholder("and password").fill("any password")
  await page.getByRole("button", { name: "Sign-in" }).click()
  await page.getByRole("button", { name: "Continue" }).waitFor()
}

const agree = (page: Page) => page.getByRole("button", { name: "Continue" }).click()

test("an issuer signs in a known user, even if their email address at the issuer has changed", async () => {
  const { email, name } = OPERATOR
  issuer.people.set("olive", { email, isVerified: true, name: "Olive Elsewhere" })
  for (const address of [email, "olive.moved@example.com"]) {
    issuer.people.set("olive", { email: address, isVerified: true, name: "Olive Elsewhere" })
    await using visitor = await tollgate.visitor()
    const { page } = visitor
    await (address === email ? goToIssuerByButton : goToIssuer)(page, "olive")
    await agree(page)
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
    const { body } = await ask(page, "GET", "/session")
    expect(body).toMatchObject({ user: { name, email, has_password: false }, is_operator: true })
    expect(visitor.complaints).toEqual([])
  }
})

test("an issuer does not sign in uninvited users or users with unverified email addresses", async () => {
  issuer.people.set("stranger", { email: "eve@example.com", isVerified: true, name: "Eve" })
  issuer.people.set("claimer", { email: OPERATOR.email, isVerified: false, name: "Eve" })
  issuer.people.set("unverified", { email: "eve@example.com", isVerified: false, name: "Eve" })
  for (const [login, words] of [
    ["unverified", /is not verified/],
    ["stranger", /invit/],
    ["claimer", /is not verified/],
  ] as const) {
    await using visitor = await tollgate.visitor()
    const { page } = visitor
    await goToIssuer(page, login)
    await agree(page)
    await page.getByRole("alert").getByText(words).waitFor()
    expect(await ask(page, "GET", "/session")).toMatchObject({ status: 401 })
  }
})

/** Signs in at the issuer, and then signs out of the console only. */
async function signInAtIssuer(page: Page): Promise<void> {
  const { email, name } = OPERATOR
  issuer.people.set("olive", { email, isVerified: true, name })
  await goToIssuer(page, "olive")
  await agree(page)
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
  await ask(page, "DELETE", "/session")
}

/** The cookies of a person who is signed in at the issuer only. */
let cookiesOfKnown: Cookie[] | undefined

/** Makes the person known at the issuer, by signing in or with the cookies of an earlier test. */
async function becomeKnown(page: Page): Promise<void> {
  if (cookiesOfKnown !== undefined) return page.context().addCookies(cookiesOfKnown)
  await signInAtIssuer(page)
  cookiesOfKnown = await page.context().cookies()
}

/** Goes to the issuer, at which the person is signed in, and returns the redirect back to the gateway. */
async function wayBack(page: Page): Promise<URL> {
  const response = await page.request.get(await addressAtIssuer(page), { maxRedirects: 0 })
  return new URL(response.headers()["location"] ?? "")
}

/**
 * Asserts that a redirect to the gateway does not sign the person in. The response is read without loading the page of
 * the console, which takes most of the time. `showsRejection` checks that page.
 */
async function isRejected(page: Page, back: URL, name: string): Promise<void> {
  const { status, location } = await followBack(page, back)
  expect({ name, status, location }).toEqual({
    name,
    status: 302,
    location: expect.stringMatching(/^\/console\/sign-in\?error=\w+/),
  })
  expect(await ask(page, "GET", "/session"), name).toMatchObject({ status: 401 })
}

/** Follows a redirect to the gateway with the cookies of the person, but not the gateway's own redirect. */
async function followBack(
  page: Page,
  back: URL,
): Promise<{ status: number; location: string | undefined }> {
  const response = await page.request.get(back.href, { maxRedirects: 0 })
  return { status: response.status(), location: response.headers()["location"] }
}

/** Asserts that the console explains a failed sign-in after a redirect to the gateway. */
async function showsRejection(page: Page, back: URL): Promise<void> {
  await page.goto(back.href)
  await page.getByRole("alert").getByText("The sign-in failed. Try again.").waitFor()
}

test("an issuer's callback is valid only once, in the same browser, before it expires, and with that issuer's code", async () => {
  await using visitor = await tollgate.visitor()
  const { page, context } = visitor
  await becomeKnown(page)
  const earlier = await wayBack(page)
  const set = (name: string, value: string | null) => (back: URL) =>
    back.searchParams.set(name, value ?? "")
  const tamper = {
    "the state of another browser": set("state", "of-eve"),
    "the state of another sign-in": set("state", earlier.searchParams.get("state")),
    "an invented code": set("code", "of-eve"),
    "the code of another sign-in": set("code", earlier.searchParams.get("code")),
    "another issuer": set("iss", "https://evil.example.com"),
    "an expired code": () => {
      using store = new Database(join(tollgate.installation.data, "console.db"))
      store.run("UPDATE proofs SET expires_at = 1 WHERE kind = 'oidc'")
    },
  }
  for (const [name, change] of Object.entries(tamper)) {
    const back = await wayBack(page)
    change(back)
    await isRejected(page, back, name)
  }

  const back = await wayBack(page)
  const cookies = await context.cookies()
  await using other = await tollgate.visitor()
  await isRejected(other.page, back, "another browser")
  await page.goto(back.href)
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
  await other.context.addCookies(cookies)
  await isRejected(other.page, back, "used twice, with the cookie of the first")
  // Going back in the browser history is rejected as well, and the session continues.
  await showsRejection(page, back)
  expect((await ask(page, "GET", "/session")).body).toMatchObject({
    user: { email: OPERATOR.email },
  })
})

/** ID tokens for another sign-in or from another issuer. */
const FORGERIES: Readonly<Record<string, Forgery>> = {
  "of another issuer": { claims: { iss: "https://evil.example.com" } },
  "of another sign-in": { claims: { nonce: "of-eve" } },
  "for another client": { claims: { aud: "another-client" } },
  "for several clients, given to another": {
    claims: { aud: ["tollgate", "another-client"], azp: "another-client" },
  },
  "of an hour ago": { claims: { exp: Math.floor(Date.now() / 1_000) - 3_600 } },
  "a token of a person known under another name": { claims: { sub: "eve" } },
  "without a signature": { isUnsigned: true },
}

test("a token for another sign-in or without a valid signature is rejected", async () => {
  await using visitor = await tollgate.visitor()
  const { page } = visitor
  await becomeKnown(page)
  for (const [name, forgery] of Object.entries(FORGERIES)) {
    const back = await wayBack(page)
    issuer.forgery = forgery
    await isRejected(page, back, name)
  }
  issuer.forgery = {}
  expect(await followBack(page, await wayBack(page))).toEqual({
    status: 302,
    location: "/console/keys",
  })
  expect(await ask(page, "GET", "/session")).toMatchObject({ status: 200 })
  issuer.forgery = undefined
})

test("users can sign in immediately after an issuer has replaced its signing key", async () => {
  await issuer.admit(tollgate.url)
  await using visitor = await tollgate.visitor()
  await signInAtIssuer(visitor.page)
  expect(visitor.complaints).toEqual([])
})

/** Sets a password for the operator, because linking the issuer deleted the previous one. */
async function setPassword(page: Page): Promise<void> {
  await goToIssuer(page, "olive")
  await agree(page)
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
  const { user } = (await ask(page, "GET", "/session")).body as { user: { id: string } }
  const { body } = await ask(page, "POST", `/users/${user.id}/reset`, {})
  const token = new URL(String(body["link"])).searchParams.get("token")
  const order = { token, new_password: OPERATOR.password }
  expect(await ask(page, "POST", "/auth/reset-password", order)).toMatchObject({ status: 200 })
  await ask(page, "DELETE", "/session")
}

test("a sign-in at an unavailable or unresponsive issuer times out, and sign-in with a password still works", async () => {
  await using visitor = await tollgate.visitor()
  const { page } = visitor
  await setPassword(page)
  for (const state of ["down", "silent"] as const) {
    const back = await wayBack(page)
    issuer.state = state
    await isRejected(page, back, state)
    issuer.state = "up"
  }
  await page.goto("/console/sign-in")
  await page.getByLabel("Email").fill(OPERATOR.email)
  await page.getByLabel("Password", { exact: true }).fill(OPERATOR.password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
})

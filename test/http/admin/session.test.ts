import { expect, test } from "bun:test"
import { AUDIT } from "../../store/audit-record.ts"
import { SecretFolder } from "../../../src/secrets/secret-folder.ts"
import { readableAudit } from "../../management/readable-audit.ts"
import { freePort } from "../../support/free-port.ts"
import { startGateway, type TestGateway } from "../../support/gateway.ts"
import { DEFAULTS } from "../../support/settings.ts"
import { totp } from "../../users/totp.ts"
import { ConsoleBrowser, join, OPERATOR, person, setUpOperator } from "./console-browser.ts"

/** Returns the error of an error response. */
async function rejection(
  response: Response,
): Promise<{ status: number; error_type: string; param: string | null; message: string }> {
  const { error } = (await response.json()) as {
    error: { error_type: string; param: string | null; message: string }
  }
  const { error_type, param, message } = error
  return { status: response.status, error_type, param, message }
}

/** Returns the actions in the audit log, oldest first, without actions of the test itself. */
async function actionsOf({ store }: TestGateway): Promise<string[]> {
  const records = await store.audit.list({}, null, 100)
  const own = records.filter(({ action }) => action !== AUDIT.action)
  return own.map(({ action }) => action).toReversed()
}

test("the first-start link creates an operator only once", async () => {
  await using gateway = await startGateway()
  const demo = { id: "acc_demo", name: "demo", createdAt: 1 }
  await gateway.store.accounts.create(demo, AUDIT)
  const browser = new ConsoleBrowser(gateway)
  expect(await browser.json("GET", "/sign-in")).toEqual({
    needs_setup: true,
    password: true,
    passkey: false,
    oidc: [],
  })
  const { setupToken } = new SecretFolder(gateway.settings.data)
  const link = `/setup/${setupToken.readOrCreate()}`
  expect(await rejection(await browser.ask("GET", "/setup/wrong"))).toMatchObject({ status: 403 })
  expect(await browser.json("GET", link)).toEqual({ ok: true })
  const setup = { token: "wrong", ...OPERATOR }
  expect(await rejection(await browser.ask("POST", "/setup", setup))).toMatchObject({
    status: 403,
    param: "token",
  })
  const short = { ...setup, password: "short" }
  expect(await rejection(await browser.ask("POST", "/setup", short))).toMatchObject({
    status: 400,
    param: "password",
  })
  const right = {
    ...setup,
    token: setupToken.readOrCreate(),
  }
  const session = await browser.json("POST", "/setup", right)
  expect(session).toMatchObject({
    user: { name: "Olga", email: OPERATOR.email, two_factor: false, has_password: true },
    is_operator: true,
    accounts: [{ id: "acc_demo", name: "demo", role: "owner" }],
    base_url: gateway.url,
    card_payments: false,
    card_currency: null,
    shows_costs: true,
  })
  expect(await browser.json("GET", "/session")).toEqual(session)
  const again = { ...right, email: "eve@example.com" }
  expect(await rejection(await browser.ask("POST", "/setup", again))).toMatchObject({ status: 409 })
  expect(await rejection(await browser.ask("GET", link))).toMatchObject({ status: 409 })
  expect(await browser.json("GET", "/sign-in")).toMatchObject({ needs_setup: false })
  expect(await actionsOf(gateway)).toEqual(["user.setup", "member.join", "session.begin"])
})

test("scripts cannot read the session cookie, and no response contains session secrets", async () => {
  await using gateway = await startGateway()
  await setUpOperator(gateway)
  const browser = new ConsoleBrowser(gateway)
  const response = await browser.ask("POST", "/auth/sign-in/email", OPERATOR_SIGN_IN)
  expect(await response.json()).toEqual({ two_factor: false })
  const [cookie = ""] = browser.setCookies
  expect(cookie).toStartWith("tollgate.session_token=")
  expect(cookie).toContain("HttpOnly")
  expect(cookie).toContain("SameSite=Lax")
  expect(cookie).toContain("Path=/")
  expect(cookie).not.toContain("Secure")
  expect(cookie).not.toContain("Domain")
  await browser.ask("POST", "/auth/sign-in/email", OPERATOR_SIGN_IN, {
    "x-forwarded-proto": "https",
  })
  expect(browser.setCookies.every((one) => one.endsWith("; Secure"))).toBe(true)
})

const OPERATOR_SIGN_IN = { email: OPERATOR.email, password: OPERATOR.password }

test("all cookies are marked secure behind TLS", async () => {
  const port = freePort()
  const publicUrl = "https://ai.example.com"
  await using gateway = await startGateway({
    settings: {
      publicUrl,
      server: { ...DEFAULTS.server, port, watchdog: 0 },
    },
  })
  const browser = new ConsoleBrowser({ url: `http://127.0.0.1:${port}` })
  const token = new SecretFolder(gateway.settings.data).setupToken.readOrCreate()
  const session = await browser.json("POST", "/setup", { token, ...OPERATOR })
  expect(session["base_url"]).toBe(publicUrl)
  expect(browser.setCookies.length).toBeGreaterThan(0)
  expect(browser.setCookies.every((one) => one.endsWith("; Secure"))).toBe(true)
  // The browser of an operator on the same machine may reject cookies with the prefix.
  expect(browser.setCookies.every((one) => one.startsWith("tollgate."))).toBe(true)
})

test("cookies have the secure prefix behind a proxy that sends the gateway's own host name", async () => {
  const port = freePort()
  const publicUrl = "https://ai.example.com"
  await using gateway = await startGateway({
    settings: {
      publicUrl,
      server: { ...DEFAULTS.server, port, watchdog: 0 },
    },
  })
  const browser = new ConsoleBrowser({ url: `http://127.0.0.1:${port}` })
  const token = new SecretFolder(gateway.settings.data).setupToken.readOrCreate()
  const page = { origin: publicUrl }
  const made = await browser.ask("POST", "/setup", { token, ...OPERATOR }, page)
  expect(made.status).toBe(200)
  expect(browser.setCookies.length).toBeGreaterThan(0)
  expect(browser.setCookies.every((one) => one.startsWith("__Host-tollgate."))).toBe(true)
  // Browsers send no origin with requests that only read.
  expect(await browser.status("GET", "/session")).toBe(200)
  const planted = (browser.cookie ?? "").replaceAll("__Host-", "")
  browser.cookie = `${planted.replace(/=[^;]*/, "=other")}; ${browser.cookie}`
  expect(await browser.status("GET", "/session")).toBe(200)
  await browser.ask("DELETE", "/session", undefined, page)
  expect(browser.setCookies.every((one) => one.startsWith("__Host-tollgate."))).toBe(true)
})

test("cookies behind TLS have the secure prefix, and unprefixed cookies are ignored", async () => {
  await using gateway = await startGateway()
  await setUpOperator(gateway)
  const TLS = { "x-forwarded-proto": "https" }
  const browser = new ConsoleBrowser(gateway)
  await browser.ask("POST", "/auth/sign-in/email", OPERATOR_SIGN_IN, TLS)
  const [cookie = ""] = browser.setCookies
  expect(cookie).toMatch(
    /^__Host-tollgate\.session_token=.*; Path=\/; HttpOnly; SameSite=Lax;.*Secure$/,
  )
  const own = browser.cookie ?? ""
  const planted = own.replaceAll("__Host-", "")
  const statusWith = async (cookies: string, headers: Record<string, string>): Promise<number> => {
    browser.cookie = cookies
    const response = await browser.ask("GET", "/session", undefined, headers)
    await response.body?.cancel()
    return response.status
  }
  expect(await statusWith(own, TLS)).toBe(200)
  expect(await statusWith(`tollgate.session_token=other; ${own}`, TLS)).toBe(200)
  expect(await statusWith(planted, TLS)).toBe(401)
  expect(await statusWith(own, {})).toBe(401)
})

test("sign-out invalidates every copy of the session cookie", async () => {
  await using gateway = await startGateway()
  const browser = await setUpOperator(gateway)
  const thief = new ConsoleBrowser(gateway)
  thief.cookie = browser.cookie
  expect(await thief.status("GET", "/session")).toBe(200)
  expect(await browser.json("DELETE", "/session")).toEqual({ ok: true })
  expect(await rejection(await thief.ask("GET", "/session"))).toMatchObject({
    status: 401,
    error_type: "not_signed_in",
  })
  expect(await browser.status("GET", "/session")).toBe(401)
})

test("another site cannot use a session, and cannot sign users in or out", async () => {
  await using gateway = await startGateway()
  const browser = await setUpOperator(gateway)
  const foreign: Record<string, string>[] = [
    { "x-tollgate-console": "0" },
    { origin: "https://evil.example.com" },
    { "sec-fetch-site": "cross-site" },
  ]
  for (const headers of foreign) {
    const out = await browser.ask("DELETE", "/session", undefined, headers)
    expect(out.status).toBe(403)
    const signIn = await browser.ask("POST", "/auth/sign-in/email", OPERATOR_SIGN_IN, headers)
    expect(signIn.status).toBe(403)
    expect(signIn.headers.getSetCookie()).toEqual([])
  }
  expect(await browser.status("GET", "/session")).toBe(200)
})

test("a rejected sign-in returns a readable error, counts toward a limit, and is recorded with limited length", async () => {
  await using gateway = await startGateway()
  await setUpOperator(gateway)
  const browser = new ConsoleBrowser(gateway)
  const wrong = { email: OPERATOR.email, password: "wrong password" }
  const first = await rejection(await browser.ask("POST", "/auth/sign-in/email", wrong))
  expect(first).toMatchObject({ status: 401, error_type: "not_signed_in", param: null })
  for (let guess = 0; guess < 9; guess++) await browser.status("POST", "/auth/sign-in/email", wrong)
  const limited = await browser.ask("POST", "/auth/sign-in/email", OPERATOR_SIGN_IN)
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(60)
  expect(await rejection(limited)).toMatchObject({ status: 429, error_type: "too_many_attempts" })
  for (let guess = 0; guess < 30; guess++)
    await browser.status("POST", "/auth/sign-in/email", wrong)
  const rejected = (await readableAudit(gateway.store, { action: "session.reject" })).toReversed()
  expect(rejected.length).toBeGreaterThanOrEqual(11)
  // The limit is 20 per minute, and a minute may have ended during the test.
  expect(rejected.length).toBeLessThanOrEqual(40)
  expect(rejected[0]).toMatchObject({
    actorName: OPERATOR.email,
    actorId: null,
    address: "127.0.0.1",
  })
  expect(JSON.stringify(rejected)).not.toContain("wrong password")
})

test("a second factor is set up, required and turned off, and an invalid code is rejected", async () => {
  await using gateway = await startGateway()
  const browser = await setUpOperator(gateway)
  const { password } = OPERATOR
  const setup = await browser.json("POST", "/auth/two-factor/enable", { password })
  const secret = String(setup["secret"])
  const [code] = setup["backup_codes"] as string[]
  expect(setup["totp_uri"]).toContain(`secret=${secret}`)
  await browser.json("POST", "/auth/two-factor/verify-totp", { code: totp(secret) })
  expect(await browser.json("GET", "/session")).toMatchObject({ user: { two_factor: true } })

  const other = new ConsoleBrowser(gateway)
  expect(await other.signIn(OPERATOR)).toEqual({ two_factor: true })
  expect(await other.status("GET", "/session")).toBe(401)
  const wrong = await other.ask("POST", "/auth/two-factor/verify-totp", { code: "00000x" })
  expect(await rejection(wrong)).toMatchObject({ status: 400, param: "code" })
  // The current code was already used for the setup.
  const next = totp(secret, Date.now() + 30_000)
  await other.json("POST", "/auth/two-factor/verify-totp", { code: next })
  expect(await other.status("GET", "/session")).toBe(200)

  const lost = new ConsoleBrowser(gateway)
  await lost.signIn(OPERATOR)
  await lost.json("POST", "/auth/two-factor/verify-backup-code", { code })
  expect(await lost.status("GET", "/session")).toBe(200)

  const bad = await other.ask("POST", "/auth/two-factor/disable", { password: "not it at all" })
  expect(await rejection(bad)).toMatchObject({ status: 400, param: "password" })
  await other.json("POST", "/auth/two-factor/disable", { password })
  expect(await new ConsoleBrowser(gateway).signIn(OPERATOR)).toEqual({ two_factor: false })
  const switches = await gateway.store.audit.list({ action: "user.two_factor" }, null, 10)
  expect(switches.map(({ after }) => after)).toEqual(['{"on":false}', '{"on":true}'])
})

test("a second-factor code without a password is rejected", async () => {
  await using gateway = await startGateway()
  await setUpOperator(gateway)
  const stranger = new ConsoleBrowser(gateway)
  const step = await stranger.ask("POST", "/auth/two-factor/verify-totp", { code: "123456" })
  expect(await rejection(step)).toMatchObject({ status: 401, error_type: "not_signed_in" })
})

test("a password change ends the user's other sessions", async () => {
  await using gateway = await startGateway()
  const here = await setUpOperator(gateway)
  const elsewhere = new ConsoleBrowser(gateway)
  await elsewhere.signIn(OPERATOR)
  const list = (await here.json("GET", "/session/all"))["data"] as { current: boolean }[]
  expect(list.map(({ current }) => current).toSorted()).toEqual([false, true])
  const wrong = { current_password: "not it at all", new_password: "a new fine one" }
  expect(await rejection(await here.ask("POST", "/auth/change-password", wrong))).toMatchObject({
    status: 400,
    param: "current_password",
  })
  const right = { ...wrong, current_password: OPERATOR.password }
  await here.json("POST", "/auth/change-password", right)
  expect(await here.status("GET", "/session")).toBe(200)
  expect(await elsewhere.status("GET", "/session")).toBe(401)
})

test("a reset link that an operator created sets a new password once", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  const users = (await operator.json("GET", "/users?search=olga"))["data"] as { id: string }[]
  const { link } = await operator.json("POST", `/users/${users[0]?.id}/reset`, {})
  expect(link).toStartWith(`${gateway.url}/console/reset?token=`)
  const token = new URL(String(link)).searchParams.get("token")
  const reset = { token, new_password: "the next password" }
  const visitor = new ConsoleBrowser(gateway)
  // Opening a link does not use it up.
  for (const _ of Array(12)) await visitor.json("GET", `/auth/reset-password/${token}`)
  await visitor.json("POST", "/auth/reset-password", reset)
  expect(await visitor.status("GET", `/auth/reset-password/${token}`)).toBe(403)
  expect(await visitor.status("POST", "/auth/reset-password", reset)).toBe(403)
  expect(await operator.status("GET", "/session")).toBe(401)
  await operator.signIn({ ...OPERATOR, password: "the next password" })
})

test("only the newest reset link is valid, and a password change invalidates every reset link", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  const users = (await operator.json("GET", "/users?search=olga"))["data"] as { id: string }[]
  const newLink = async (): Promise<string | null> => {
    const { link } = await operator.json("POST", `/users/${users[0]?.id}/reset`, {})
    return new URL(String(link)).searchParams.get("token")
  }
  const visitor = new ConsoleBrowser(gateway)
  const use = (token: string | null, password: string): Promise<number> =>
    visitor.status("POST", "/auth/reset-password", { token, new_password: password })
  const first = await newLink()
  const second = await newLink()
  expect(await use(first, "by an older link")).toBe(403)
  expect(await use(second, "the next password")).toBe(200)
  expect(await use(first, "by an older link")).toBe(403)
  const [change] = await readableAudit(gateway.store, { action: "user.password" })
  expect(change).toMatchObject({ actorName: OPERATOR.email, after: { by: "link" } })
  await operator.signIn({ ...OPERATOR, password: "the next password" })
  const third = await newLink()
  const own = { current_password: "the next password", new_password: "one of their own" }
  await operator.json("POST", "/auth/change-password", own)
  expect(await use(third, "by an older link")).toBe(403)
  expect(await operator.status("GET", "/session")).toBe(200)
})

test("users can end their own other sessions, and no sessions of other users", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  const { account } = await gateway.caller()
  const bob = person("Bob")
  const theirs = await join(gateway, operator, { account: account.id, role: "viewer", person: bob })
  const sessionOf = async (browser: ConsoleBrowser): Promise<string> => {
    const { data } = await browser.json("GET", "/session/all")
    return (data as { id: string }[])[0]?.id ?? ""
  }
  const operators = await sessionOf(operator)
  expect(await theirs.status("DELETE", `/session/all/${operators}`)).toBe(404)
  expect(await operator.status("GET", "/session")).toBe(200)
  await theirs.json("DELETE", `/session/all/${await sessionOf(theirs)}`)
  expect(await theirs.status("GET", "/session")).toBe(401)
})

test("a session that was started with the admin token has no user", async () => {
  await using gateway = await startGateway({ settings: { adminToken: "the-admin-token" } })
  const headers = { authorization: "Bearer the-admin-token" }
  const browser = new ConsoleBrowser(gateway)
  const session = await browser.ask("GET", "/session", undefined, headers)
  expect(await session.json()).toMatchObject({ user: null, is_operator: true, accounts: [] })
  const change = { current_password: "aaaaaaaaaaaa", new_password: "bbbbbbbbbbbb" }
  const response = await browser.ask("POST", "/auth/change-password", change, headers)
  expect(response.status).toBe(403)
})

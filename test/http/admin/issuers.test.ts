import { expect, test } from "bun:test"
import { AUDIT } from "../../store/audit-record.ts"
import { startGateway } from "../../support/gateway.ts"
import { type FakeIssuer, startIssuer } from "../../users/fake-issuer.ts"
import { ConsoleBrowser, OPERATOR, person, setUpOperator } from "./console-browser.ts"

const ADA = person("Ada")

function settingsFor(issuer: FakeIssuer) {
  return { settings: { console: { oidc: [issuer.settings], trustedOrigins: [] } } }
}

/**
 * Signs in at the issuer and follows the redirect back.
 * @returns the gateway's response to the redirect.
 */
async function walk(
  browser: ConsoleBrowser,
  issuer: FakeIssuer,
  returnTo = "/console/",
): Promise<Response> {
  const order = { provider: "company", return_to: returnTo }
  const { url, link_token } = await browser.json("POST", "/auth/sign-in/oidc", order)
  browser.linkToken = String(link_token)
  const { pathname, search } = new URL(issuer.authorize(String(url)))
  return browser.ask("GET", pathname.replace("/admin/v1", "") + search)
}

test("an invited person signs in through the issuer and accepts the invitation", async () => {
  await using issuer = await startIssuer()
  await using gateway = await startGateway(settingsFor(issuer))
  const operator = await setUpOperator(gateway)
  await gateway.store.accounts.create({ id: "acc_acme", name: "acme", createdAt: 1 }, AUDIT)
  const ada = new ConsoleBrowser(gateway)
  expect(await ada.json("GET", "/sign-in")).toMatchObject({
    oidc: [{ id: "company", name: "Our company" }],
  })
  const rejected = await walk(ada, issuer)
  expect(rejected.status).toBe(302)
  expect(rejected.headers.get("location")).toBe("/console/sign-in?error=not_invited")
  const order = { account: "acc_acme", email: ADA.email, role: "member" }
  const { link } = await operator.json("POST", "/members/invitations", order)
  const token = new URL(String(link)).searchParams.get("token")
  const page = `/console/invitation?token=${token}`
  const back = await walk(ada, issuer, page)
  expect(back.headers.get("location")).toBe(page)
  const session = await ada.json("POST", `/invitations/${token}/accept`, {})
  expect(session).toMatchObject({
    user: { email: ADA.email, has_password: false },
    accounts: [{ role: "member" }],
  })
  const records = await gateway.store.audit.list({ action: "session.*" }, null, 10)
  expect(records.map(({ action, after }) => [action, after]).slice(0, 1)).toEqual([
    ["session.begin", '{"way":"company"}'],
  ])
  expect(records.some(({ after }) => after === '{"reason":"not_invited"}')).toBe(true)
})

test("a sign-in redirects the browser only to pages of the console", async () => {
  await using issuer = await startIssuer()
  await using gateway = await startGateway(settingsFor(issuer))
  const browser = new ConsoleBrowser(gateway)
  const elsewhere = [
    "https://evil.example.com/",
    "//evil.example.com",
    "/console/..//evil.example.com",
    "/console/%2f%2fevil.example.com",
    "/console\\evil.example.com",
    "/v1/models",
  ]
  for (const return_to of elsewhere) {
    const order = { provider: "company", return_to }
    expect(await browser.status("POST", "/auth/sign-in/oidc", order)).toBe(400)
  }
  for (const return_to of [
    "/console/",
    "/console/requests?model=a%2Fb&from=2026-01-01T00:00:00Z",
  ]) {
    const order = { provider: "company", return_to }
    expect(await browser.status("POST", "/auth/sign-in/oidc", order)).toBe(200)
  }
  const nobody = { provider: "nobody" }
  expect(await browser.status("POST", "/auth/sign-in/oidc", nobody)).toBe(404)
  expect(await browser.status("GET", "/auth/callback/nobody?code=1&state=2")).toBe(404)
  const forged = await browser.ask("GET", "/auth/callback/company?code=1&state=2")
  expect(forged.headers.get("location")).toStartWith("/console/sign-in?error=")
})

test("a user gets a readable error if the issuer is unreachable, and can use a password instead", async () => {
  await using issuer = await startIssuer()
  await using gateway = await startGateway(settingsFor(issuer))
  const browser = await setUpOperator(gateway)
  issuer.fault = "away"
  const response = await browser.ask("POST", "/auth/sign-in/oidc", { provider: "company" })
  expect(response.status).toBe(502)
  expect(JSON.stringify(await response.json())).toContain("Our company cannot sign people in now")
  expect(await browser.status("GET", "/session")).toBe(200)
})

test("a user links an issuer after signing in again, and the audit log records the link", async () => {
  await using issuer = await startIssuer()
  const oidc = [{ ...issuer.settings, linkUsers: "confirmed" as const }]
  await using gateway = await startGateway({ settings: { console: { oidc, trustedOrigins: [] } } })
  const operator = await setUpOperator(gateway)
  const { user } = await operator.json("GET", "/session")
  const { email } = user as { readonly email: string }
  issuer.person = { ...issuer.person, email }
  const browser = new ConsoleBrowser(gateway)
  const rejected = await walk(browser, issuer)
  expect(rejected.headers.get("location")).toBe("/console/sign-in?error=account_not_linked")
  expect(await browser.status("GET", "/session")).toBe(401)
  // Another browser with the same cookies cannot link an identity.
  const planted = new ConsoleBrowser(gateway)
  planted.cookie = browser.cookie
  await planted.signIn(OPERATOR)
  const early = await walk(new ConsoleBrowser(gateway), issuer)
  expect(early.headers.get("location")).toBe("/console/sign-in?error=account_not_linked")
  await browser.signIn(OPERATOR)
  const next = new ConsoleBrowser(gateway)
  expect((await walk(next, issuer)).headers.get("location")).toBe("/console/")
  expect(await next.json("GET", "/session")).toMatchObject({ user: { email } })
  const records = await gateway.store.audit.list({ action: "user.link" }, null, 10)
  expect(records.map(({ after }) => after)).toEqual(['{"issuer":"company"}'])
})

test("the audit log records that a user was linked to an issuer by email address", async () => {
  await using issuer = await startIssuer()
  await using gateway = await startGateway(settingsFor(issuer))
  const operator = await setUpOperator(gateway)
  issuer.person = { ...issuer.person, email: OPERATOR.email }
  const browser = new ConsoleBrowser(gateway)
  expect((await walk(browser, issuer)).headers.get("location")).toBe("/console/")
  expect(await operator.status("GET", "/session")).toBe(401)
  const records = await gateway.store.audit.list({ action: "user.link" }, null, 10)
  expect(records.map(({ after }) => after)).toEqual([
    '{"issuer":"company","other_sign_ins_deleted":true}',
  ])
})

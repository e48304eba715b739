import { expect, test } from "bun:test"
import { AUDIT } from "../../store/audit-record.ts"
import { readableAudit } from "../../management/readable-audit.ts"
import { simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type FakeIssuer, startIssuer } from "../../users/fake-issuer.ts"
import { ConsoleBrowser, OPERATOR, setUpOperator } from "./console-browser.ts"

const ACCOUNT = "acc_acme"
const FORWARDED = {
  "x-forwarded-for": "6.6.6.6, 203.0.113.9",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "ai.example.com",
}

async function start(
  issuer: FakeIssuer,
  trustedProxies: readonly string[],
): Promise<[TestGateway, ConsoleBrowser]> {
  const price = { input: "5", output: "40" }
  const gateway = await startGateway({
    settings: { console: { oidc: [issuer.settings], trustedOrigins: [] } },
    models: { "sim/gpt-image-1": simulated({ kind: "image", price }) },
  })
  const { settings } = gateway
  await gateway.app.apply({ ...settings, server: { ...settings.server, trustedProxies } })
  await gateway.store.accounts.create({ id: ACCOUNT, name: "acme", createdAt: 1 }, AUDIT)
  const browser = await setUpOperator(gateway)
  // With TLS, the names of cookies have a prefix.
  browser.cookie = `${browser.cookie}; __Host-${browser.cookie}`
  return [gateway, browser]
}

/** Returns the member of the response that contains an address. */
async function addressIn(response: Response, member: string): Promise<string> {
  const body = (await response.json()) as Record<string, unknown>
  return String(body[member])
}

/** Returns every address in the responses to a request with these headers. */
async function originsOf(gateway: TestGateway, browser: ConsoleBrowser) {
  const ask = (method: string, path: string, body?: unknown) =>
    browser.ask(method, path, body, FORWARDED)
  const order = { account: ACCOUNT, email: "ada@example.com", role: "viewer" }
  const invitation = await addressIn(await ask("POST", "/members/invitations", order), "link")
  const session = await addressIn(await ask("GET", "/session"), "base_url")
  const sso = { provider: "company", return_to: "/console/" }
  const issuer = await addressIn(await ask("POST", "/auth/sign-in/oidc", sso), "url")
  const document = await fetch(`${gateway.url}/openapi.json`, { headers: FORWARDED })
  const { servers } = (await document.json()) as { servers: { url: string }[] }
  const page = await fetch(`${gateway.url}/docs`, { headers: FORWARDED })
  const documented = /<code>(https?:[^<]+)\/v1<\/code>/.exec(await page.text())?.[1]
  const caller = await gateway.caller()
  const boat = { model: "sim/gpt-image-1", prompt: "a boat" }
  const images: string[] = []
  for (const headers of [FORWARDED, { ...FORWARDED, "idempotency-key": "boat" }]) {
    const made = await caller.post("/v1/images/generations", boat, headers)
    const { data } = (await made.json()) as { data: { url: string }[] }
    images.push(new URL(data[0]?.url ?? "").origin)
  }
  return {
    invitation: new URL(invitation).origin,
    session,
    redirect: new URL(new URL(issuer).searchParams.get("redirect_uri") ?? "").origin,
    document: servers[0]?.url,
    documented,
    images,
  }
}

function allAt(origin: string) {
  return {
    invitation: origin,
    session: origin,
    redirect: origin,
    document: origin,
    documented: origin,
    images: [origin, origin],
  }
}

/** Returns the address in the newest audit record. */
async function lastAddress({ store }: TestGateway): Promise<string | null | undefined> {
  return (await readableAudit(store, { action: "session.*" }))[0]?.address
}

/** Returns the status of a change that a page of this origin sends through the proxy. */
function changeFrom(browser: ConsoleBrowser, origin: string): Promise<number> {
  const order = { name: "one more" }
  const headers = { ...FORWARDED, origin }
  return browser.ask("POST", "/accounts", order, headers).then(async (response) => {
    await response.body?.cancel()
    return response.status
  })
}

const WRONG = { email: OPERATOR.email, password: "not the right one" }

test("the gateway uses forwarded headers of trusted proxies", async () => {
  await using issuer = await startIssuer()
  const [gateway, browser] = await start(issuer, ["127.0.0.0/8"])
  await using _ = gateway
  expect(await originsOf(gateway, browser)).toEqual(allAt("https://ai.example.com"))
  await new ConsoleBrowser(gateway).ask("POST", "/auth/sign-in/email", WRONG, FORWARDED)
  expect(await lastAddress(gateway)).toBe("203.0.113.9")
  expect(await changeFrom(browser, "https://ai.example.com")).toBe(200)
  expect(await changeFrom(browser, "https://evil.example")).toBe(403)
  // Attempts are limited for each caller. Many requests to an issuer from one address are therefore rejected at some
  // point.
  const sso = { provider: "company", return_to: "/console/" }
  const ask = async (caller: string): Promise<number> => {
    const headers = { ...FORWARDED, "x-forwarded-for": caller }
    const response = await browser.ask("POST", "/auth/sign-in/oidc", sso, headers)
    await response.body?.cancel()
    return response.status
  }
  for (let i = 0; i < 60; i += 1) expect(await ask(`6.6.6.${i}, 198.51.100.1`)).toBe(200)
  expect(await ask("6.6.6.7, 198.51.100.1")).toBe(429)
  expect(await ask("198.51.100.1, 198.51.100.2")).toBe(200)
  for (let i = 1; i <= 60; i += 1) expect(await ask(`2001:db8::${i}`)).toBe(200)
  expect(await ask("2001:db8::ffff")).toBe(429)
  expect(await ask("2001:db8:0:1::1")).toBe(200)
})

test("the gateway ignores forwarded headers of other senders", async () => {
  await using issuer = await startIssuer()
  const [gateway, browser] = await start(issuer, ["10.0.0.0/8", "::1"])
  await using _ = gateway
  expect(await originsOf(gateway, browser)).toEqual(allAt(gateway.url))
  await new ConsoleBrowser(gateway).ask("POST", "/auth/sign-in/email", WRONG, FORWARDED)
  expect(await lastAddress(gateway)).toBe("127.0.0.1")
  const warnings = gateway.heard.filter(({ name }) => name === "warning").map(({ facts }) => facts)
  expect(warnings).toEqual([[expect.stringContaining("ignoring x-forwarded-for from 127.0.0.1")]])
  expect(await changeFrom(browser, "https://ai.example.com")).toBe(403)
  // The settings are changed while the gateway is running.
  const { settings } = gateway
  await gateway.app.apply({
    ...settings,
    server: { ...settings.server, trustedProxies: ["127.0.0.1"] },
  })
  expect(await changeFrom(browser, "https://ai.example.com")).toBe(200)
  const document = await fetch(`${gateway.url}/openapi.json`, { headers: FORWARDED })
  expect(await document.json()).toMatchObject({ servers: [{ url: "https://ai.example.com" }] })
  const publicUrl = "https://public.example.com/ai"
  await gateway.app.apply({ ...settings, publicUrl })
  const again = await fetch(`${gateway.url}/openapi.json`, { headers: FORWARDED })
  expect(await again.json()).toMatchObject({ servers: [{ url: publicUrl }] })
})

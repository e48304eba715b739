import { expect, test } from "bun:test"
import { readableAudit } from "../../management/readable-audit.ts"
import { AUDIT } from "../../store/audit-record.ts"
import { startGateway, type TestGateway } from "../../support/gateway.ts"
import { type Faults, SoftwareAuthenticator } from "../../users/software-authenticator.ts"
import { ConsoleBrowser, join, OPERATOR, person, setUpOperator } from "./console-browser.ts"

const ORIGIN = "https://ai.example.com"
const RP_ID = "ai.example.com"
const { password } = OPERATOR

interface Started {
  readonly gateway: TestGateway
  readonly browser: ConsoleBrowser
}

async function start(publicUrl = ORIGIN): Promise<Started> {
  const gateway = await startGateway()
  await gateway.app.apply({ ...gateway.settings, publicUrl })
  return { gateway, browser: await setUpOperator(gateway) }
}

/** Returns the authenticator's input for a response of the gateway. */
function askedBy(response: Record<string, unknown>, origin = ORIGIN) {
  const { challenge } = response["public_key"] as { challenge: string }
  return { challenge, origin, rpId: RP_ID }
}

async function handleOf(browser: ConsoleBrowser): Promise<string> {
  const { user } = await browser.json("GET", "/session")
  return Buffer.from((user as { id: string }).id).toString("base64url")
}

/** Adds a passkey. */
async function add(browser: ConsoleBrowser, name = "laptop", secret = password) {
  const key = new SoftwareAuthenticator()
  const begun = await browser.json("POST", "/auth/passkeys/begin", { password: secret })
  const credential = key.create(askedBy(begun), await handleOf(browser))
  return { key, passkey: await browser.json("POST", "/auth/passkeys", { name, credential }) }
}

/** Signs in with a new browser. */
async function signIn(
  gateway: TestGateway,
  key: SoftwareAuthenticator,
  { faults = {}, origin = ORIGIN }: { faults?: Faults; origin?: string } = {},
): Promise<{ status: number; browser: ConsoleBrowser; credential: Record<string, unknown> }> {
  const browser = new ConsoleBrowser(gateway)
  const begun = await browser.json("POST", "/auth/sign-in/passkey/begin")
  const credential = key.get(askedBy(begun, origin), faults)
  return {
    status: await browser.status("POST", "/auth/sign-in/passkey", { credential }),
    browser,
    credential,
  }
}

test("a passkey can be created, used without a second-factor code, listed, renamed and removed", async () => {
  const { gateway, browser } = await start()
  await using _ = gateway
  expect(await browser.json("GET", "/sign-in")).toMatchObject({ passkey: true })
  const begun = await browser.json("POST", "/auth/passkeys/begin", { password })
  expect(begun["public_key"]).toMatchObject({
    rp: { id: RP_ID },
    user: { name: OPERATOR.email, id: await handleOf(browser) },
    attestation: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  })
  const { key, passkey } = await add(browser)
  expect(passkey).toMatchObject({ name: "laptop", last_used_at: null })
  const id = String(passkey["id"])
  const again = await browser.json("POST", "/auth/passkeys/begin", { password })
  expect(again["public_key"]).toMatchObject({ excludeCredentials: [{ id: key.credentialId }] })

  const first = await signIn(gateway, key)
  expect(first.status).toBe(200)
  expect(first.browser.setCookies.join()).toContain("; Secure")
  expect(await first.browser.json("GET", "/session")).toMatchObject({
    user: { email: OPERATOR.email },
  })
  const { data } = await browser.json("GET", "/auth/passkeys")
  expect(data).toMatchObject([{ id, last_used_at: expect.stringContaining("T") }])
  const renamed = await browser.json("PATCH", `/auth/passkeys/${id}`, { name: " my laptop " })
  expect(renamed).toMatchObject({ id, name: "my laptop" })
  expect(await browser.status("PATCH", `/auth/passkeys/${id}`, { name: "" })).toBe(400)
  await browser.json("DELETE", `/auth/passkeys/${id}`)
  expect(await browser.status("DELETE", `/auth/passkeys/${id}`)).toBe(404)
  expect((await signIn(gateway, key)).status).toBe(401)
  const records = await readableAudit(gateway.store, {})
  expect(records.map(({ action }) => action).slice(0, 5)).toEqual([
    "session.reject",
    "passkey.remove",
    "passkey.change",
    "session.begin",
    "passkey.create",
  ])
  expect(records.find(({ action }) => action === "session.begin")).toMatchObject({
    actorName: OPERATOR.email,
    after: { way: "passkey" },
  })
})

test("a registration response with a wrong origin, host or challenge creates no passkey", async () => {
  const { gateway, browser } = await start()
  await using _ = gateway
  expect(await browser.status("POST", "/auth/passkeys/begin", {})).toBe(400)
  expect(await browser.status("POST", "/auth/passkeys/begin", { password: "wrong" })).toBe(400)
  const handle = await handleOf(browser)
  const attempt = async (faults: Faults, change: object = {}) => {
    const begun = await browser.json("POST", "/auth/passkeys/begin", { password })
    const asked = { ...askedBy(begun), ...change }
    const credential = new SoftwareAuthenticator().create(asked, handle, faults)
    return browser.status("POST", "/auth/passkeys", { name: "x", credential })
  }
  expect(await attempt({}, { origin: "https://evil.example" })).toBe(400)
  expect(await attempt({}, { rpId: "evil.example" })).toBe(400)
  expect(await attempt({}, { challenge: "bm90IHRoZSBjaGFsbGVuZ2U" })).toBe(400)
  expect(await attempt({ type: "webauthn.get" })).toBe(400)
  // The response claims that the user was not verified or not present.
  expect(await attempt({ flags: 1 })).toBe(400)
  expect(await attempt({ flags: 4 })).toBe(400)
  const begun = await browser.json("POST", "/auth/passkeys/begin", { password })
  const credential = new SoftwareAuthenticator().create(askedBy(begun), handle)
  const broken = { ...credential, response: { clientDataJSON: "e30", attestationObject: "AAAA" } }
  expect(await browser.status("POST", "/auth/passkeys", { name: "x", credential: broken })).toBe(
    400,
  )
  const nested = await browser.json("POST", "/auth/passkeys/begin", { password })
  const deep = new SoftwareAuthenticator().create(askedBy(nested), handle)
  const { clientDataJSON } = deep["response"] as { clientDataJSON: string }
  const attestationObject = Buffer.alloc(14_000, 0x81).toString("base64url")
  const bomb = { ...deep, response: { clientDataJSON, attestationObject } }
  expect(await browser.status("POST", "/auth/passkeys", { name: "x", credential: bomb })).toBe(400)
  // The challenge has already been used.
  expect(await browser.status("POST", "/auth/passkeys", { name: "x", credential })).toBe(401)
  expect(await browser.status("POST", "/auth/passkeys", { name: "x", credential: {} })).toBe(400)
  expect((await browser.json("GET", "/auth/passkeys"))["data"]).toEqual([])
})

test("a passkey response is valid once, in the browser that requested the challenge", async () => {
  const { gateway, browser } = await start()
  await using _ = gateway
  const { key } = await add(browser)
  const { status, browser: own, credential } = await signIn(gateway, key)
  expect(status).toBe(200)
  // The challenge is used again in the same browser, then in another browser, and then with the challenge of another
  // browser.
  expect(await own.status("POST", "/auth/sign-in/passkey", { credential })).toBe(401)
  const other = new ConsoleBrowser(gateway)
  expect(await other.status("POST", "/auth/sign-in/passkey", { credential })).toBe(401)
  await other.json("POST", "/auth/sign-in/passkey/begin")
  expect(await other.status("POST", "/auth/sign-in/passkey", { credential })).toBe(401)
  const thief = new ConsoleBrowser(gateway)
  const victim = new ConsoleBrowser(gateway)
  const begun = await victim.json("POST", "/auth/sign-in/passkey/begin")
  const stolen = key.get(askedBy(begun))
  await thief.json("POST", "/auth/sign-in/passkey/begin")
  expect(await thief.status("POST", "/auth/sign-in/passkey", { credential: stolen })).toBe(401)
  // The steps are mixed up: the challenge for creating a passkey must not work for signing in.
  const making = await browser.json("POST", "/auth/passkeys/begin", { password })
  const crossed = key.get(askedBy(making))
  expect(await browser.status("POST", "/auth/sign-in/passkey", { credential: crossed })).toBe(401)

  for (const [faults, origin] of [
    [{ isBroken: true }, ORIGIN],
    [{ type: "webauthn.create" }, ORIGIN],
    [{ flags: 1 }, ORIGIN],
    [{ userHandle: "dXNlcl9ub2JvZHk" }, ORIGIN],
    [{}, "https://evil.example"],
    [{}, "http://ai.example.com"],
  ] as const) {
    expect((await signIn(gateway, key, { faults, origin })).status).toBe(401)
  }
  expect((await signIn(gateway, new SoftwareAuthenticator())).status).toBe(401)
})

test("two simultaneous passkey responses to one challenge create only one session", async () => {
  const { gateway, browser } = await start()
  await using _ = gateway
  const { key } = await add(browser)
  const own = new ConsoleBrowser(gateway)
  const asked = askedBy(await own.json("POST", "/auth/sign-in/passkey/begin"))
  const { cookie } = own
  const statuses = await Promise.all(
    Array.from({ length: 4 }, () => {
      const same = new ConsoleBrowser(gateway)
      same.cookie = cookie
      return same.status("POST", "/auth/sign-in/passkey", { credential: key.get(asked) })
    }),
  )
  expect(statuses.toSorted()).toEqual([200, 401, 401, 401])
})

test("a cloned passkey is detected by its signature counter", async () => {
  const { gateway, browser } = await start()
  await using _ = gateway
  const { key } = await add(browser)
  expect((await signIn(gateway, key, { faults: { counter: 7 } })).status).toBe(200)
  expect((await signIn(gateway, key, { faults: { counter: 7 } })).status).toBe(401)
  expect((await signIn(gateway, key, { faults: { counter: 0 } })).status).toBe(401)
  expect((await signIn(gateway, key, { faults: { counter: 8 } })).status).toBe(200)
  // Many authenticators do not count uses, so their counter stays 0.
  const { key: uncounted } = await add(browser, "phone")
  for (let time = 0; time < 2; time++) {
    expect((await signIn(gateway, uncounted, { faults: { counter: 0 } })).status).toBe(200)
  }
})

test("users cannot access passkeys of other users, and erasing a user removes the user's passkeys", async () => {
  const { gateway, browser } = await start()
  await using _ = gateway
  await gateway.store.accounts.create({ id: "acc_acme", name: "acme", createdAt: 1 }, AUDIT)
  const order = { account: "acc_acme", role: "viewer", person: person("Ada") } as const
  const ada = await join(gateway, browser, order)
  const own = await add(browser)
  const hers = await add(ada, "phone", order.person.password)
  const path = `/auth/passkeys/${String(own.passkey["id"])}`
  expect(await ada.status("PATCH", path, { name: "mine" })).toBe(404)
  expect(await ada.status("DELETE", path)).toBe(404)
  // The challenge belongs to another user.
  const begun = await browser.json("POST", "/auth/passkeys/begin", { password })
  const credential = new SoftwareAuthenticator().create(askedBy(begun), await handleOf(ada))
  expect(await ada.status("POST", "/auth/passkeys", { name: "x", credential })).toBe(401)
  // The credential already belongs to another user.
  const mixed = await ada.json("POST", "/auth/passkeys/begin", {
    password: order.person.password,
  })
  const taken = own.key.create(askedBy(mixed), await handleOf(ada))
  expect(await ada.status("POST", "/auth/passkeys", { name: "x", credential: taken })).toBe(409)

  const { user } = await ada.json("GET", "/session")
  const { id } = user as { id: string }
  const exported = await browser.json("GET", `/users/${id}/export`)
  expect(exported["passkeys"]).toMatchObject([{ name: "phone" }])
  await browser.json("PATCH", `/users/${id}`, { is_disabled: true })
  expect((await signIn(gateway, hers.key)).status).toBe(403)
  await browser.json("PATCH", `/users/${id}`, { is_disabled: false })
  expect((await signIn(gateway, hers.key)).status).toBe(200)
  await browser.json("POST", `/users/${id}/reset`, { two_factor: true })
  expect((await signIn(gateway, hers.key)).status).toBe(401)
  const third = await add(await signedIn(gateway, order.person), "third", order.person.password)
  await browser.json("POST", `/users/${id}/erase`)
  expect((await signIn(gateway, third.key)).status).toBe(401)
})

async function signedIn(gateway: TestGateway, who: typeof OPERATOR): Promise<ConsoleBrowser> {
  const browser = new ConsoleBrowser(gateway)
  await browser.signIn(who)
  return browser
}

test("the gateway offers no passkeys at URLs for which browsers do not support passkeys", async () => {
  for (const address of ["http://ai.example.com", "https://192.0.2.7", "https://[2001:db8::1]"]) {
    const { gateway, browser } = await start(address)
    await using _ = gateway
    expect(await browser.json("GET", "/sign-in")).toMatchObject({ passkey: false })
    expect(await browser.status("POST", "/auth/sign-in/passkey/begin")).toBe(409)
    expect(await browser.status("POST", "/auth/passkeys/begin", { password })).toBe(409)
  }
  const { gateway, browser } = await start("http://localhost:8787")
  await using _ = gateway
  expect(await browser.json("GET", "/sign-in")).toMatchObject({ passkey: true })
})

test("passkey attempts are limited per IP address", async () => {
  const { gateway } = await start()
  await using _ = gateway
  const browser = new ConsoleBrowser(gateway)
  const statuses: number[] = []
  for (let attempt = 0; attempt < 61; attempt++) {
    statuses.push(await browser.status("POST", "/auth/sign-in/passkey/begin"))
  }
  expect(new Set(statuses.slice(0, 60))).toEqual(new Set([200]))
  expect(statuses.at(-1)).toBe(429)
})

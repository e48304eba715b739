import { afterAll, beforeAll, expect, test } from "bun:test"
import { AUDIT } from "../../store/audit-record.ts"
import { startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { DEFAULTS } from "../../support/settings.ts"
import { until } from "../../support/until.ts"
import { CHAT, HELLO } from "../support.ts"

/** The test acts as a trusted proxy, so the gateway uses the addresses in its headers. */
const SERVER = {
  ...DEFAULTS.server,
  port: 0,
  drain: 1_000,
  watchdog: 0,
  trustedProxies: ["127.0.0.1"],
}

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({ settings: { server: SERVER } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

function ask(caller: TestCaller, headers: Record<string, string> = {}): Promise<Response> {
  return caller.post(CHAT, { model: "sim/echo", messages: HELLO }, headers)
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body = (await response.json()) as { error?: { error_type?: string } }
  return body.error?.error_type
}

test("a read-only key cannot make paid requests or change anything", async () => {
  const caller = await gateway.caller("1", { isReadOnly: true })
  for (const path of ["/v1/models", "/v1/credits"]) {
    expect((await caller.get(path)).status).toBe(200)
  }
  const credits = (await (await caller.get("/v1/credits")).json()) as { key: object }
  expect(credits.key).toMatchObject({ is_read_only: true, addresses: null })
  const rejected = await ask(caller)
  expect(rejected.status).toBe(403)
  expect(await codeOf(rejected)).toBe("key_read_only")
  const again = await ask(caller, { "idempotency-key": "one" })
  expect(await codeOf(again)).toBe("key_read_only")
  const gone = await fetch(`${gateway.url}/v1/responses/resp_1`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${caller.key}` },
  })
  expect(gone.status).toBe(403)
  expect(await caller.balance()).toBe(1_000_000_000n)
})

test("a key is accepted only from the IP addresses that its settings allow", async () => {
  const caller = await gateway.caller("1", { addresses: ["10.1.0.0/16", "2001:db8::/32"] })
  const from = (address: string) => ask(caller, { "x-forwarded-for": address })
  for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "[2001:db8::7]:4000"]) {
    expect((await from(address)).status).toBe(200)
  }
  for (const address of ["10.2.0.1", "2001:db9::1", "nonsense", "10.1.2.3, 192.0.2.1"]) {
    const rejected = await from(address)
    expect(rejected.status).toBe(403)
    expect(await codeOf(rejected)).toBe("address_not_allowed")
  }
  const models = await caller.get("/v1/models")
  expect(models.status).toBe(403)
})

test("a stored response is not replayed to a caller whose IP address is not allowed", async () => {
  const caller = await gateway.caller("1", { addresses: ["10.1.2.3"] })
  const once = { "idempotency-key": "the same", "x-forwarded-for": "10.1.2.3" }
  const first = await ask(caller, once)
  expect(first.status).toBe(200)
  await first.text()
  const repeated = await ask(caller, once)
  expect(repeated.headers.get("idempotent-replayed")).toBe("true")
  await repeated.text()
  const stranger = await ask(caller, { ...once, "x-forwarded-for": "10.1.2.4" })
  expect(stranger.status).toBe(403)
  expect(await codeOf(stranger)).toBe("address_not_allowed")
})

test("a change of the allowed IP addresses of a key takes effect immediately", async () => {
  const caller = await gateway.caller("1")
  expect((await ask(caller)).status).toBe(200)
  await gateway.store.keys.update(caller.keyId, { addresses: ["192.0.2.1"] }, AUDIT)
  await until(async () => (await ask(caller)).status === 403)
  await gateway.store.keys.update(caller.keyId, { addresses: null }, AUDIT)
  await until(async () => (await ask(caller)).status === 200)
})

import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { AUDIT } from "../../store/audit-record.ts"
import { SecretFolder } from "../../../src/secrets/secret-folder.ts"
import { KeyHasher } from "../../../src/keys/secret.ts"
import { KeyIssuer } from "../../support/key-issuer.ts"
import { CHAT, receiptsOf } from "../../relay/support.ts"
import { until } from "../../support/until.ts"
import {
  BODY,
  clock,
  DAY,
  errorIn,
  gateway,
  keyed,
  send,
  setUp,
  tearDown,
  until200,
  vendor,
  vendorDoes,
  whole,
} from "./once-world.ts"

beforeAll(setUp)
afterAll(tearDown)

test("a key without access to the model does not get the stored response", async () => {
  const caller = await gateway.caller("1")
  const stranger = await gateway.caller("1")
  vendorDoes.response = () => whole()
  const first = await (await send(caller, "mine")).text()
  const before = vendor.bodies.length
  const other = await send(stranger, "mine")
  expect(other.headers.get("idempotent-replayed")).toBeNull()
  expect(await other.text()).not.toBe("")
  expect(vendor.bodies.length - before).toBe(1)
  const { key } = caller
  await gateway.store.keys.update(caller.keyId, { models: ["own/y"] }, AUDIT)
  await until(async () => (await send(caller, "mine")).status === 404)
  await gateway.store.keys.update(caller.keyId, { models: null, requestsPerMinute: 2 }, AUDIT)
  await until(async () => (await send(caller, "mine")).headers.has("x-ratelimit-limit-requests"))
  await until(async () => (await send(caller, "mine")).status === 429)
  await gateway.store.keys.update(caller.keyId, { requestsPerMinute: null }, AUDIT)
  await until(async () => (await send(caller, "mine")).status === 200)
  expect(await (await send(caller, "mine")).text()).toBe(first)
  await gateway.store.keys.revoke(caller.keyId, Date.now(), AUDIT)
  await until(async () => (await send(caller, "mine")).status === 401)
  expect(key).toBe(caller.key)
})

test("another key of the account gets the stored response, and its tokens are not counted again", async () => {
  const caller = await gateway.caller("1", { tokensPerMinute: 20 })
  const issuer = new KeyIssuer(
    gateway.store,
    new KeyHasher(new SecretFolder(gateway.settings.data).readOrCreate("key-pepper")),
  )
  const { secret } = await issuer.issue({ account: caller.account.id, name: "second" })
  vendorDoes.response = () => whole()
  const first = await send(caller, "rotated")
  const text = await first.text()
  expect((await send(caller, "over the limit")).status).toBe(429)
  expect(await (await send(caller, "rotated")).text()).toBe(text)
  const second = await until200(() =>
    caller.post(CHAT, BODY, keyed("rotated", { authorization: `Bearer ${secret}` })),
  )
  expect(await second.text()).toBe(text)
})

test("a key without access to the default model does not get the stored image", async () => {
  const caller = await gateway.caller("1")
  const issuer = new KeyIssuer(
    gateway.store,
    new KeyHasher(new SecretFolder(gateway.settings.data).readOrCreate("key-pepper")),
  )
  const order = { account: caller.account.id, name: "second", models: ["own/y"] }
  const { secret } = await issuer.issue(order)
  const gate = Promise.withResolvers<void>()
  vendorDoes.response = async () => {
    await gate.promise
    return Response.json({ created: 1, data: [{ b64_json: "iVBORw0KGgo=" }] })
  }
  const body = { prompt: "a barn", response_format: "b64_json" }
  const before = vendor.bodies.length
  const first = caller.post("/v1/images/generations", body, keyed("drawn"))
  await until(() => vendor.bodies.length > before)
  const authorization = `Bearer ${secret}`
  const ask = (): Promise<Response> =>
    caller.post("/v1/images/generations", body, keyed("drawn", { authorization }))
  await until(async () => (await ask()).status === 409)
  gate.resolve()
  expect((await first).status).toBe(200)
  expect((await ask()).status).toBe(404)
})

test("a stored response expires after a day", async () => {
  const caller = await gateway.caller("1")
  vendorDoes.response = () => whole()
  const first = await send(caller, "day")
  await first.text()
  clock.now += DAY - 1_000
  const late = await send(caller, "day")
  expect(late.headers.get("x-request-id")).toBe(first.headers.get("x-request-id"))
  clock.now += 2_000
  const tooLate = await send(caller, "day")
  expect(tooLate.headers.get("idempotent-replayed")).toBeNull()
  expect(receiptsOf(gateway, caller)).toHaveLength(2)
})

test("a response that is too large to store is charged once, and a retry gets the receipt id", async () => {
  const caller = await gateway.caller("1")
  vendorDoes.response = () => whole("x".repeat(2 << 20))
  const before = vendor.bodies.length
  const first = await send(caller, "large")
  expect((await first.text()).length).toBeGreaterThan(2 << 20)
  const id = first.headers.get("x-request-id") ?? ""
  const second = await send(caller, "large")
  expect(second.status).toBe(409)
  expect(second.headers.get("x-should-retry")).toBe("false")
  expect(await errorIn(second)).toMatchObject({
    code: "conflict",
    original_request_id: id,
    receipt: `/v1/receipts/${id}`,
  })
  expect(vendor.bodies.length - before).toBe(1)
})

test("the oldest stored responses of an account are evicted above the account's limit", async () => {
  const caller = await gateway.caller("1")
  vendorDoes.response = () => whole("x".repeat(900_000))
  for (let number = 0; number < 5; number++) await (await send(caller, `room ${number}`)).text()
  const statuses = []
  for (let number = 0; number < 5; number++) {
    const response = await send(caller, `room ${number}`)
    await response.text()
    statuses.push(response.status)
  }
  expect(statuses).toEqual([409, 409, 200, 200, 200])
})

test("stored responses are encrypted on disk", async () => {
  const caller = await gateway.caller("1")
  vendorDoes.response = () => whole("a secret that nobody may read")
  await (await send(caller, "a-key-that-names-a-person")).text()
  expect(await (await send(caller, "a-key-that-names-a-person")).text()).toContain("a secret")
  const { data } = gateway.settings
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  expect(files.some(({ parentPath }) => parentPath === join(data, "responses"))).toBe(true)
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name))
    for (const plain of ["a secret that nobody may read", "a-key-that-names-a-person"]) {
      expect([name, bytes.includes(plain)]).toEqual([name, false])
    }
  }
})

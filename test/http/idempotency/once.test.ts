import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { AUDIT } from "../../store/audit-record.ts"
import { loadSecrets } from "../../../src/config/secrets.ts"
import { KeyHasher } from "../../../src/keys/secret.ts"
import { KeyIssuer } from "../../support/key-issuer.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  DONE,
  frame,
  repeated,
  type ScriptedVendor,
  startVendor,
  streamed,
  usageFrame,
  wholeAnswer,
} from "../../relay/scripted-vendor.ts"
import { CHAT, type ErrorBody, HELLO, receiptsOf } from "../../relay/support.ts"
import { until } from "../../support/until.ts"

const DAY = 86_400_000

let gateway: TestGateway
let vendor: ScriptedVendor
/** What the vendor does next. */
let answer: (request: Request) => Response | Promise<Response>
let now = Date.now()

beforeAll(async () => {
  vendor = startVendor((request) => answer(request))
  gateway = await startGateway({
    providers: { own: provider(vendor.url) },
    models: {
      "own/x": simulated(),
      "own/y": simulated(),
      "own/dall-e-2": { kind: "image", price: { image: "1000" } },
    },
    now: () => now,
    settings: {
      idempotency: { answerBytes: 1 << 20, accountBytes: 3 << 20, totalBytes: 1 << 28 },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const BODY = { model: "own/x", messages: HELLO }
const STREAMED = { ...BODY, stream: true }

function whole(content = "Hello"): Response {
  return Response.json(wholeAnswer(content))
}

function keyed(key: string, headers: Record<string, string> = {}): Record<string, string> {
  return { "idempotency-key": key, ...headers }
}

/** Sends what was sent before with the same key. */
function send(caller: TestCaller, key: string, body: object = BODY): Promise<Response> {
  return caller.post(CHAT, body, keyed(key))
}

/** A new key is known after a moment. */
async function until200(ask: () => Promise<Response>): Promise<Response> {
  let response = await ask()
  await until(async () => {
    if (response.status !== 200) response = await ask()
    return response.status === 200
  })
  return response
}

async function errorIn(response: Response): Promise<ErrorBody["error"] & Record<string, unknown>> {
  return ((await response.json()) as ErrorBody).error as ErrorBody["error"] &
    Record<string, unknown>
}

test("a request that is sent again is answered the same and charged once", async () => {
  const caller = await gateway.caller("1")
  answer = () => whole()
  const before = vendor.bodies.length
  const first = await send(caller, "again")
  const text = await first.text()
  const second = await send(caller, "again")
  expect(await second.text()).toBe(text)
  expect(vendor.bodies.length - before).toBe(1)
  expect(second.status).toBe(200)
  for (const name of [
    "x-request-id",
    "request-id",
    "x-tollgate-cost",
    "content-type",
    "content-length",
  ]) {
    expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)])
  }
  expect(first.headers.get("idempotent-replayed")).toBeNull()
  expect(second.headers.get("idempotent-replayed")).toBe("true")
  expect(receiptsOf(gateway, caller)).toHaveLength(1)
})

test("a hundred at once are one upstream call, one charge and a hundred equal answers", async () => {
  for (const body of [BODY, STREAMED]) {
    const caller = await gateway.caller("1")
    const gate = Promise.withResolvers<void>()
    answer = async () => {
      await gate.promise
      if (body === BODY) return whole()
      return streamed([
        ...repeated(frame("word "), 20, 2),
        frame("", "stop"),
        usageFrame(10, 20),
        DONE,
      ])
    }
    const before = vendor.bodies.length
    const sent = Array.from({ length: 100 }, () => send(caller, "hundred", body))
    await until(() => vendor.bodies.length > before)
    gate.resolve()
    const answers = await Promise.all(sent)
    const texts = await Promise.all(answers.map((response) => response.text()))
    expect(new Set(texts).size).toBe(1)
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.has("idempotent-replayed"))).toHaveLength(99)
    expect(vendor.bodies.length - before).toBe(1)
    expect(receiptsOf(gateway, caller)).toHaveLength(1)
  }
})

test("a second one gets a running stream from its first byte, and then as it comes", async () => {
  const caller = await gateway.caller("1")
  const gate = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  answer = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(encoder.encode(frame("one ")))
          await gate.promise
          controller.enqueue(
            encoder.encode(frame("two") + frame("", "stop") + usageFrame(10, 2) + DONE),
          )
          controller.close()
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    )
  const first = await send(caller, "attached", STREAMED)
  const second = await send(caller, "attached", STREAMED)
  const reader = second.body!.getReader()
  const { value } = await reader.read()
  expect(Buffer.from(value!).toString()).toContain("one ")
  gate.resolve()
  let rest = Buffer.from(value!).toString()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    rest += Buffer.from(chunk.value).toString()
  }
  expect(rest).toBe(await first.text())
  expect(rest).toEndWith(DONE)
})

test("another body, endpoint or wish under the key is 422", async () => {
  const caller = await gateway.caller("1")
  answer = () => whole()
  await (await send(caller, "other")).text()
  const others = [
    await send(caller, "other", { ...BODY, temperature: 0.5 }),
    await caller.post("/v1/responses", BODY, keyed("other")),
    await caller.post(CHAT, BODY, keyed("other", { "x-tollgate-strict": "true" })),
    await caller.post(CHAT, BODY, keyed("other", { "x-tollgate-on-low-balance": "refuse" })),
  ]
  for (const response of others) {
    expect(response.status).toBe(422)
    expect(response.headers.get("x-should-retry")).toBe("false")
    expect((await errorIn(response)).code).toBe("idempotency_key_reused")
  }
  const message = await caller.post("/v1/messages", { ...BODY, max_tokens: 5 }, keyed("other"))
  expect(await message.json()).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", error_type: "idempotency_key_reused" },
  })
})

test("a key that is none is 400 and names the header", async () => {
  const caller = await gateway.caller("1")
  for (const key of ["", "é", "x".repeat(256)]) {
    const response = await send(caller, key)
    expect(response.status).toBe(400)
    expect(await errorIn(response)).toMatchObject({ param: "idempotency-key" })
  }
  answer = () => whole()
  expect((await send(caller, "x".repeat(255))).status).toBe(200)
})

test("a failure that was not charged gives the key back", async () => {
  const caller = await gateway.caller("1")
  answer = () => new Response("no", { status: 500 })
  const failed = await send(caller, "failed")
  expect(failed.status).toBe(502)
  await failed.text()
  answer = () => whole("Now")
  const second = await send(caller, "failed")
  expect(second.headers.get("idempotent-replayed")).toBeNull()
  expect(await second.text()).toContain("Now")
  expect(receiptsOf(gateway, caller).filter(({ status }) => status === "settled")).toHaveLength(1)
})

test("a stream that breaks off after it was charged is repeated as it was", async () => {
  const caller = await gateway.caller("1")
  answer = () => streamed([frame("Some words that were delivered")])
  const before = vendor.bodies.length
  const first = await (await send(caller, "broken", STREAMED)).text()
  expect(first).toContain("error")
  const second = await send(caller, "broken", STREAMED)
  expect(await second.text()).toBe(first)
  expect(vendor.bodies.length - before).toBe(1)
  expect(receiptsOf(gateway, caller)).toHaveLength(1)
})

test("the upstream goes on for the second when the first leaves, and stops when both have", async () => {
  for (const stays of [true, false]) {
    const caller = await gateway.caller("1")
    const gate = Promise.withResolvers<void>()
    let wasLeft = false
    answer = () =>
      streamed(
        (function* steps() {
          yield frame("one ")
          for (let count = 0; count < 50; count++) yield 10
          yield frame("two")
          yield frame("", "stop") + usageFrame(10, 2) + DONE
        })(),
        "text/event-stream",
        () => {
          wasLeft = true
          gate.resolve()
        },
      )
    const controllers = [new AbortController(), new AbortController()]
    const key = `leaves ${stays}`
    const answers = []
    for (const { signal } of controllers) {
      const headers = {
        authorization: `Bearer ${caller.key}`,
        "content-type": "application/json",
        ...keyed(key),
      }
      const sent = { method: "POST", headers, body: JSON.stringify(STREAMED), signal }
      answers.push(await fetch(gateway.url + CHAT, sent))
    }
    controllers[0]?.abort()
    if (stays) {
      expect(await answers[1]?.text()).toEndWith(DONE)
      expect(wasLeft).toBe(false)
    } else {
      controllers[1]?.abort()
      await gate.promise
      await until(() => receiptsOf(gateway, caller).length > 0)
    }
    expect(receiptsOf(gateway, caller)).toMatchObject([{ status: "settled" }])
  }
})

test("whoever may not have the answer does not get it", async () => {
  const caller = await gateway.caller("1")
  const stranger = await gateway.caller("1")
  answer = () => whole()
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

test("another key of the account gets the answer, and its tokens are not counted again", async () => {
  const caller = await gateway.caller("1", { tokensPerMinute: 20 })
  const issuer = new KeyIssuer(
    gateway.store,
    new KeyHasher(loadSecrets(gateway.settings.data).keyPepper),
  )
  const { secret } = await issuer.issue({ account: caller.account.id, name: "second" })
  answer = () => whole()
  const first = await send(caller, "rotated")
  const text = await first.text()
  expect((await send(caller, "over the limit")).status).toBe(429)
  expect(await (await send(caller, "rotated")).text()).toBe(text)
  const second = await until200(() =>
    caller.post(CHAT, BODY, keyed("rotated", { authorization: `Bearer ${secret}` })),
  )
  expect(await second.text()).toBe(text)
})

test("another key with a list is not told a picture of the usual model before it is known which that is", async () => {
  const caller = await gateway.caller("1")
  const issuer = new KeyIssuer(
    gateway.store,
    new KeyHasher(loadSecrets(gateway.settings.data).keyPepper),
  )
  const order = { account: caller.account.id, name: "second", models: ["own/y"] }
  const { secret } = await issuer.issue(order)
  const gate = Promise.withResolvers<void>()
  answer = async () => {
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

test("an answer is kept for a day", async () => {
  const caller = await gateway.caller("1")
  answer = () => whole()
  const first = await send(caller, "day")
  await first.text()
  now += DAY - 1_000
  const late = await send(caller, "day")
  expect(late.headers.get("x-request-id")).toBe(first.headers.get("x-request-id"))
  now += 2_000
  const tooLate = await send(caller, "day")
  expect(tooLate.headers.get("idempotent-replayed")).toBeNull()
  expect(receiptsOf(gateway, caller)).toHaveLength(2)
})

test("an answer that is too large to keep is still one charge, and a retry is told where its receipt is", async () => {
  const caller = await gateway.caller("1")
  answer = () => whole("x".repeat(2 << 20))
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

test("what is kept of an account is bounded: the oldest answers make room", async () => {
  const caller = await gateway.caller("1")
  answer = () => whole("x".repeat(900_000))
  for (let number = 0; number < 5; number++) await (await send(caller, `room ${number}`)).text()
  const statuses = []
  for (let number = 0; number < 5; number++) {
    const response = await send(caller, `room ${number}`)
    await response.text()
    statuses.push(response.status)
  }
  expect(statuses).toEqual([409, 409, 200, 200, 200])
})

test("nothing of it can be read in the folder", async () => {
  const caller = await gateway.caller("1")
  answer = () => whole("a secret that nobody may read")
  await (await send(caller, "a-key-that-names-a-person")).text()
  expect(await (await send(caller, "a-key-that-names-a-person")).text()).toContain("a secret")
  const { data } = gateway.settings
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  expect(files.some(({ parentPath }) => parentPath === join(data, "answers"))).toBe(true)
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name))
    for (const plain of ["a secret that nobody may read", "a-key-that-names-a-person"]) {
      expect([name, bytes.includes(plain)]).toEqual([name, false])
    }
  }
})

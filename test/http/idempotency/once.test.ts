import { afterAll, beforeAll, expect, spyOn, test } from "bun:test"
import { Ledger } from "../../../src/ledger/ledger.ts"
import { DONE, frame, repeated, streamed, usageFrame } from "../../relay/scripted-vendor.ts"
import { CHAT, receiptsOf } from "../../relay/support.ts"
import { until } from "../../support/until.ts"
import {
  BODY,
  errorIn,
  gateway,
  keyed,
  send,
  setUp,
  STREAMED,
  tearDown,
  until200,
  vendor,
  vendorDoes,
  whole,
} from "./once-world.ts"

beforeAll(setUp)
afterAll(tearDown)

test("a retried request returns the same response and is charged once", async () => {
  const caller = await gateway.caller("1")
  vendorDoes.response = () => whole()
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

test("a hundred simultaneous requests get the same response from one upstream call and one charge", async () => {
  for (const body of [BODY, STREAMED]) {
    const caller = await gateway.caller("1")
    const gate = Promise.withResolvers<void>()
    vendorDoes.response = async () => {
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
    const responses = await Promise.all(sent)
    const texts = await Promise.all(responses.map((response) => response.text()))
    expect(new Set(texts).size).toBe(1)
    expect(new Set(responses.map(({ headers }) => headers.get("x-request-id"))).size).toBe(1)
    expect(responses.filter(({ headers }) => headers.has("idempotent-replayed"))).toHaveLength(99)
    expect(vendor.bodies.length - before).toBe(1)
    expect(receiptsOf(gateway, caller)).toHaveLength(1)
  }
})

test("a second client of a running stream receives it from the first byte", async () => {
  const caller = await gateway.caller("1")
  const gate = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  vendorDoes.response = () =>
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

test("a request with a used idempotency key and another body, endpoint or option returns 422", async () => {
  const caller = await gateway.caller("1")
  vendorDoes.response = () => whole()
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

test("an invalid idempotency key causes a status 400 that names the header", async () => {
  const caller = await gateway.caller("1")
  for (const key of ["", "é", "x".repeat(256)]) {
    const response = await send(caller, key)
    expect(response.status).toBe(400)
    expect(await errorIn(response)).toMatchObject({ param: "idempotency-key" })
  }
  vendorDoes.response = () => whole()
  expect((await send(caller, "x".repeat(255))).status).toBe(200)
})

test("a failed request without a charge releases the idempotency key", async () => {
  const caller = await gateway.caller("1")
  vendorDoes.response = () => new Response("no", { status: 500 })
  const failed = await send(caller, "failed")
  expect(failed.status).toBe(502)
  await failed.text()
  vendorDoes.response = () => whole("Now")
  const second = await send(caller, "failed")
  expect(second.headers.get("idempotent-replayed")).toBeNull()
  expect(await second.text()).toContain("Now")
  expect(receiptsOf(gateway, caller).filter(({ status }) => status === "settled")).toHaveLength(1)
})

test("a failed request keeps its idempotency key while the database may still store its charge", async () => {
  const caller = await gateway.caller("1")
  let isPosting = true
  using _ = spyOn(Ledger.prototype, "isPosting").mockImplementation(() => isPosting)
  const before = vendor.bodies.length
  vendorDoes.response = () => Response.json({ error: { message: "no" } }, { status: 400 })
  expect((await send(caller, "pending")).status).toBe(400)
  vendorDoes.response = () => whole()
  expect((await send(caller, "pending")).status).toBe(503)
  expect(vendor.bodies.length).toBe(before + 1)
  isPosting = false
  await until200(() => send(caller, "pending"))
  expect(vendor.bodies.length).toBe(before + 2)
})

test("a stream that breaks after its charge is replayed unchanged", async () => {
  const caller = await gateway.caller("1")
  vendorDoes.response = () => streamed([frame("Some words that were delivered")])
  const before = vendor.bodies.length
  const first = await (await send(caller, "broken", STREAMED)).text()
  expect(first).toContain("error")
  const second = await send(caller, "broken", STREAMED)
  expect(await second.text()).toBe(first)
  expect(vendor.bodies.length - before).toBe(1)
  expect(receiptsOf(gateway, caller)).toHaveLength(1)
})

test("the upstream call continues when some or all clients disconnect", async () => {
  for (const stays of [true, false]) {
    const caller = await gateway.caller("1")
    let wasLeft = false
    vendorDoes.response = () =>
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
        },
      )
    const controllers = [new AbortController(), new AbortController()]
    const key = `leaves ${stays}`
    const responses = []
    for (const { signal } of controllers) {
      const headers = {
        authorization: `Bearer ${caller.key}`,
        "content-type": "application/json",
        ...keyed(key),
      }
      const sent = { method: "POST", headers, body: JSON.stringify(STREAMED), signal }
      responses.push(await fetch(gateway.url + CHAT, sent))
    }
    controllers[0]?.abort()
    if (stays) expect(await responses[1]?.text()).toEndWith(DONE)
    else {
      controllers[1]?.abort()
      await until(() => receiptsOf(gateway, caller).length > 0)
      expect(await (await send(caller, key, STREAMED)).text()).toEndWith(DONE)
    }
    expect(wasLeft).toBe(false)
    expect(receiptsOf(gateway, caller)).toMatchObject([{ status: "settled" }])
  }
})

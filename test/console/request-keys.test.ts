import { expect, test } from "bun:test"
import {
  responseLost,
  isOutcomeUnknown,
  messageOf,
  readError,
} from "../../console/src/api/api-error.ts"
import { api } from "../../console/src/api/client.ts"
import { RequestKeys } from "../../console/src/api/idempotency-key.ts"
import { largeAmountQuestion } from "../../console/src/pages/credits/large-amount.ts"

const rejected = readError(400, { error: { message: "no", error_type: "invalid_value" } })

test("an open dialog sends the same idempotency key until the gateway rejects a request", () => {
  const keys = new RequestKeys()
  const first = keys.current
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(keys.current).toBe(first)
  keys.failed(rejected)
  expect(keys.current).not.toBe(first)
  expect(new RequestKeys().current).not.toBe(keys.current)
})

test("the idempotency key is kept after a lost response, so that the action runs once", () => {
  for (const lost of [responseLost(), readError(502, null)]) {
    const keys = new RequestKeys()
    const first = keys.current
    keys.failed(lost)
    keys.failed(rejected)
    expect(keys.current).toBe(first)
  }
})

test("an error after a lost response never claims that nothing was done", () => {
  const keys = new RequestKeys()
  expect(keys.failed(rejected)).toBe(rejected)
  const lost = responseLost()
  expect(keys.failed(lost)).toBe(lost)
  const facts = { message: "used", error_type: "idempotency_key_reused" }
  const told = keys.failed(readError(422, { error: facts }))
  expect(isOutcomeUnknown(told)).toBe(true)
  expect(messageOf(told)).toContain("differs from your previous attempt")
  expect(isOutcomeUnknown(keys.failed(rejected))).toBe(true)
  expect(messageOf(keys.failed(rejected))).toContain("no")
})

test("an incomplete response counts as lost, and the idempotency key is sent", async () => {
  const seen: (string | null)[] = []
  const lines = [
    "HTTP/1.1 200 OK",
    "content-type: application/json",
    "content-length: 100",
    "",
    "{",
  ]
  await using server = cutServer(lines.join("\r\n"), seen)
  const real = globalThis.fetch
  globalThis.fetch = Object.assign(
    (path: string, init: RequestInit) => real(new URL(path, server.url), init),
    real,
  )
  try {
    const body = { credits: "1" }
    const sending = { idempotencyKey: "a-key" }
    const failure = await api("POST /codes", { body }, sending).catch((thrown: unknown) => thrown)
    expect(failure).toMatchObject({ status: 0, message: responseLost().message })
    expect(seen).toEqual(["a-key"])
  } finally {
    globalThis.fetch = real
  }
})

function cutServer(response: string, seen: (string | null)[]) {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, data) {
        seen.push(/idempotency-key: (\S+)/i.exec(data.toString())?.[1] ?? null)
        socket.end(response)
      },
    },
  })
  return {
    url: `http://127.0.0.1:${listener.port}`,
    async [Symbol.asyncDispose]() {
      listener.stop(true)
    },
  }
}

test("a large amount requires confirmation with the amount and its target", () => {
  const title = (credits: string) => `Add ${credits} to Wayne?`
  expect(largeAmountQuestion({ amount: "999999999", balance: "5", title })).toMatchObject({
    title: "Add 999,999,999.00 credits to Wayne?",
  })
  expect(largeAmountQuestion({ amount: "101", balance: "5", title })).toBeDefined()
  expect(largeAmountQuestion({ amount: "100", balance: "5", title })).toBeUndefined()
  expect(largeAmountQuestion({ amount: "-1001", balance: "9000", title })?.title).toContain("1,001")
  expect(largeAmountQuestion({ amount: "500", times: 3, title })).toBeDefined()
  expect(largeAmountQuestion({ amount: undefined, title })).toBeUndefined()
})

import { expect, test } from "bun:test"
import { startGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"
import { chat, halted, reasons, Receiver, SECRET, sending, storing } from "./receiver.ts"

test("log lines are posted in compressed batches, with the operator's headers", async () => {
  using receiver = new Receiver()
  await using gateway = await startGateway({ settings: sending(receiver.url) })
  const ids = await chat(gateway, 3)
  await until(() => receiver.lines.length === 3)
  expect(receiver.lines.map(({ request }) => request)).toEqual(ids)
  expect(receiver.headers[0]?.get("authorization")).toBe(`Bearer ${SECRET}`)
  expect(receiver.headers[0]?.get("content-type")).toBe("application/x-ndjson")
})

test("a rejected log batch is retried with the same id for a limited time", async () => {
  using receiver = new Receiver()
  receiver.response = () => new Response(null, { status: receiver.ids.length < 2 ? 503 : 200 })
  await using gateway = await startGateway({ settings: sending(receiver.url) })
  await chat(gateway)
  await until(() => receiver.ids.length === 2)
  expect(new Set(receiver.ids).size).toBe(1)
  expect(reasons(gateway)).toContain("it answered with status 503")
  expect(JSON.stringify(gateway.heard)).not.toContain(SECRET)
})

test("a log batch that an address always rejects does not block other batches", async () => {
  using receiver = new Receiver()
  let bad: string | null | undefined
  receiver.response = (request) => {
    const id = request.headers.get("idempotency-key")
    bad ??= id
    return new Response(null, { status: id === bad ? 500 : 200 })
  }
  await using gateway = await startGateway({ settings: sending(receiver.url) })
  await chat(gateway)
  await until(() => receiver.ids.length === 1)
  await chat(gateway, 2)
  await until(() => receiver.ids.some((id) => id !== bad))
  expect(reasons(gateway)).toContain("it answered with status 500")
  gateway.app.skipDrain()
})

test("a log address in a private network is rejected unless the operator allows it", async () => {
  using receiver = new Receiver()
  const settings = sending(receiver.url, { allowsPrivate: false })
  await using gateway = await startGateway({ settings })
  await chat(gateway)
  await until(() => reasons(gateway).includes("it is not on the public internet"))
  expect(receiver.bodies).toEqual([])
  gateway.app.skipDrain()
})

test("a redirect of a log address is not followed, and an endless response blocks nothing", async () => {
  using receiver = new Receiver()
  receiver.response = () => Response.redirect("http://169.254.169.254/", 307)
  await using gateway = await startGateway({ settings: sending(receiver.url) })
  await chat(gateway)
  await until(() => reasons(gateway).includes("status 307"))
  receiver.response = () => new Response(halted())
  await until(() => receiver.ids.length === 2)
  const first = receiver.ids[0]
  await chat(gateway)
  await until(() => receiver.ids.length === 3)
  expect(receiver.ids[1]).toBe(first ?? "")
  expect(receiver.ids[2]).not.toBe(first ?? "")
})

test("the shutdown aborts a delivery of log lines that gets no response", async () => {
  using receiver = new Receiver()
  const { promise: cut, resolve } = Promise.withResolvers<void>()
  receiver.response = (request) => {
    request.signal.addEventListener("abort", () => resolve())
    return new Promise<Response>(() => {})
  }
  const { log } = sending(receiver.url)
  const place = { bucket: "logs", endpoint: receiver.url, accessKeyId: "id", secretAccessKey: "k" }
  for (const sink of [{ http: log.http }, { bucket: storing(place) }]) {
    const { queueBytes } = log
    const gateway = await startGateway({
      settings: { log: { requests: false, queueBytes, ...sink } },
    })
    receiver.ids.length = 0
    await chat(gateway)
    await until(() => receiver.ids.length === 1)
    gateway.app.skipDrain()
    await gateway[Symbol.asyncDispose]()
    await cut
    expect(gateway.heard.find(({ name }) => name === "linesDropped")?.facts[1]).toBe(1)
  }
})

import { expect, test } from "bun:test"
import {
  DONE,
  frame,
  startVendor,
  streamed,
  usageFrame,
  wholeResponse,
} from "../relay/scripted-vendor.ts"
import { createInstallation, startServing } from "../support/process.ts"
import { stop } from "../support/stopping.ts"
import { until } from "../support/until.ts"
import {
  beatsOfOthers,
  chargesOf,
  newKey,
  readPast,
  send,
  startPausing,
  yamlFor,
} from "./idempotency-world.ts"

test.concurrent("a second request joins a call that runs in another process, and keeps the call running", async () => {
  const { vendor, gates } = startPausing()
  using _ = vendor
  using installation = createInstallation(yamlFor(vendor.url))
  const { key, account } = await newKey(installation)
  await using one = await startServing(installation)
  await using two = await startServing(installation)
  const order = { key, idempotencyKey: "across", stream: true }
  const controller = new AbortController()
  const first = await send(one, { ...order, signal: controller.signal })
  const reading = await readPast(first, "one ")
  const second = await send(two, order)
  expect(second.headers.get("x-request-id")).toBe(first.headers.get("x-request-id"))
  expect(second.headers.get("idempotent-replayed")).toBe("true")
  const attached = await readPast(second, "one ")
  expect(attached.text()).toStartWith(reading.text().slice(0, 20))
  controller.abort()
  gates[0]?.resolve()
  const text = await attached.rest()
  expect(text).toEndWith(DONE)
  const third = await send(two, order)
  expect(await third.text()).toBe(text)
  expect(third.headers.get("content-type")).toBe(first.headers.get("content-type"))
  expect(vendor.bodies).toHaveLength(1)
  expect(await chargesOf(installation, account)).toEqual([first.headers.get("x-request-id") ?? ""])
})

test.concurrent("a retry waits for a whole response that another process produces", async () => {
  const gate = Promise.withResolvers<void>()
  using vendor = startVendor(async () => {
    await gate.promise
    return Response.json(wholeResponse())
  })
  using installation = createInstallation(yamlFor(vendor.url))
  const { key, account } = await newKey(installation)
  await using one = await startServing(installation)
  await using two = await startServing(installation)
  const order = { key, idempotencyKey: "whole" }
  const sent = [one, two, two, one].map((process) => send(process, order))
  await until(() => vendor.bodies.length > 0)
  gate.resolve()
  const responses = await Promise.all(sent)
  const texts = await Promise.all(responses.map((response) => response.text()))
  expect(new Set(texts).size).toBe(1)
  expect(new Set(responses.map(({ headers }) => headers.get("content-length"))).size).toBe(1)
  expect(vendor.bodies).toHaveLength(1)
  expect(await chargesOf(installation, account)).toHaveLength(1)
})

test.concurrent("two workers that share a port make one upstream call for sixty callers", async () => {
  const gate = Promise.withResolvers<void>()
  using vendor = startVendor(async () => {
    await gate.promise
    return streamed([frame("one "), 5, frame("two"), frame("", "stop"), usageFrame(10, 2), DONE])
  })
  using installation = createInstallation(yamlFor(vendor.url))
  const { key, account } = await newKey(installation)
  await using serving = await startServing(installation, { TOLLGATE_WORKERS: "2" })
  const order = { key, idempotencyKey: "workers", stream: true }
  const sent = Array.from({ length: 60 }, () => send(serving, order))
  await until(() => vendor.bodies.length > 0)
  gate.resolve()
  const responses = await Promise.all(sent)
  const texts = await Promise.all(responses.map((response) => response.text()))
  expect(new Set(texts).size).toBe(1)
  expect(texts[0]).toEndWith(DONE)
  expect(vendor.bodies).toHaveLength(1)
  expect(await chargesOf(installation, account)).toHaveLength(1)
})

test.concurrent("a process that shuts down completes a response for a caller of another process", async () => {
  const { vendor, gates } = startPausing()
  using _ = vendor
  using installation = createInstallation(yamlFor(vendor.url))
  const { key, account } = await newKey(installation)
  await using one = await startServing(installation)
  await using two = await startServing(installation)
  const order = { key, idempotencyKey: "drained", stream: true }
  const controller = new AbortController()
  await readPast(await send(one, { ...order, signal: controller.signal }), "one ")
  const attached = await readPast(await send(two, order), "one ")
  controller.abort()
  one.process.kill("SIGTERM")
  await until(() =>
    fetch(`${one.url}/healthz`, { keepalive: false }).then(
      () => false,
      () => true,
    ),
  )
  gates[0]?.resolve()
  expect(await attached.rest()).toEndWith(DONE)
  expect(await one.process.exited).toBe(0)
  expect(await (await send(two, order)).text()).toBe(attached.text())
  expect(await chargesOf(installation, account)).toHaveLength(1)
})

test.concurrent("a retry waits for a suspended process, which is not treated as dead", async () => {
  const { vendor, gates } = startPausing()
  using _ = vendor
  using installation = createInstallation(yamlFor(vendor.url))
  const { key, account } = await newKey(installation)
  await using one = await startServing(installation)
  await using two = await startServing(installation)
  const order = { key, idempotencyKey: "stopped", stream: true }
  const first = await readPast(await send(one, order), "one ")
  await stop([one.process.pid], installation)
  let isAnswered = false
  const sent = send(two, order).finally(() => {
    isAnswered = true
  })
  await beatsOfOthers(installation, 2)
  expect(isAnswered).toBe(false)
  one.process.kill("SIGCONT")
  gates[0]?.resolve()
  expect(await (await sent).text()).toBe(await first.rest())
  expect(vendor.bodies).toHaveLength(1)
  expect(await chargesOf(installation, account)).toHaveLength(1)
})

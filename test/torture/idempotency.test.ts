import { expect, test } from "bun:test"
import { databasePath } from "../../src/store/database-path.ts"
import { openStore } from "../../src/store/open-store.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import {
  DONE,
  frame,
  startVendor,
  streamed,
  usageFrame,
  wholeAnswer,
} from "../relay/scripted-vendor.ts"
import { CHAT, HELLO } from "../relay/support.ts"
import {
  createInstallation,
  type Installation,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { until } from "../support/until.ts"

function yamlFor(vendorUrl: string): string {
  return `
server: { host: 127.0.0.1, port: 0 }
providers:
  own: { vendor: openai-compatible, api_key: upstream, base_url: "${vendorUrl}" }
models:
  own/x: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`
}

async function newKey(installation: Installation): Promise<{ key: string; account: string }> {
  const { id } = await runJson<{ id: string }>(
    installation,
    "account",
    "create",
    "caller",
    "--credits",
    "100",
  )
  const { key } = await runJson<{ key: string }>(
    installation,
    "key",
    "create",
    "--account",
    "caller",
  )
  return { key, account: id }
}

interface Order {
  readonly key: string
  readonly idempotencyKey: string
  readonly model?: string
  readonly stream?: boolean
  readonly signal?: AbortSignal
}

function send({ url }: ServingProcess, order: Order): Promise<Response> {
  const { model = "own/x", stream = false } = order
  return fetch(url + CHAT, {
    method: "POST",
    headers: {
      authorization: `Bearer ${order.key}`,
      "content-type": "application/json",
      "idempotency-key": order.idempotencyKey,
    },
    body: JSON.stringify({ model, messages: HELLO, stream }),
    keepalive: false,
    ...(order.signal && { signal: order.signal }),
  })
}

async function chargesOf(installation: Installation, account: string): Promise<string[]> {
  await using store = await openStore(databasePath(installation.data))
  const entries = await store.entries.list(account, 0, 100_000)
  return entries.filter(({ kind }) => kind === "charge").map(({ request }) => request ?? "")
}

/** Waits until a process that lives has looked so often who is dead. */
async function beatsOfOthers(installation: Installation, times: number): Promise<void> {
  await using store = await openStore(databasePath(installation.data))
  const latest = async (): Promise<number> =>
    Math.max(...(await store.nodes.list()).map(({ beatAt }) => beatAt))
  for (let time = 0; time < times; time++) {
    const before = await latest()
    await until(async () => (await latest()) > before)
  }
}

/** A stream that says a word, and the rest when it is let. */
function startPausing() {
  const gates: PromiseWithResolvers<void>[] = []
  const encoder = new TextEncoder()
  const vendor = startVendor(() => {
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(frame("one ")))
        await gate.promise
        controller.enqueue(
          encoder.encode(frame("two") + frame("", "stop") + usageFrame(10, 2) + DONE),
        )
        controller.close()
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })
  return { vendor, gates }
}

/** Reads until a text has come. */
async function readPast(response: Response, wanted: string) {
  const reader = response.body?.getReader()
  if (!reader) throw new Error("no body")
  let text = ""
  const next = async (): Promise<boolean> => {
    const { done, value } = await reader.read()
    if (value) text += Buffer.from(value).toString()
    return !done
  }
  while (!text.includes(wanted)) await next()
  return {
    text: () => text,
    async rest() {
      while (await next());
      return text
    },
    leave: () => reader.cancel(),
  }
}

test("a second one is attached though it reached another process, and the upstream goes on for it", async () => {
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
}, 60_000)

test("a whole answer that runs in another process is waited for", async () => {
  const gate = Promise.withResolvers<void>()
  using vendor = startVendor(async () => {
    await gate.promise
    return Response.json(wholeAnswer())
  })
  using installation = createInstallation(yamlFor(vendor.url))
  const { key, account } = await newKey(installation)
  await using one = await startServing(installation)
  await using two = await startServing(installation)
  const order = { key, idempotencyKey: "whole" }
  const sent = [one, two, two, one].map((process) => send(process, order))
  await until(() => vendor.bodies.length > 0)
  gate.resolve()
  const answers = await Promise.all(sent)
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expect(new Set(texts).size).toBe(1)
  expect(new Set(answers.map(({ headers }) => headers.get("content-length"))).size).toBe(1)
  expect(vendor.bodies).toHaveLength(1)
  expect(await chargesOf(installation, account)).toHaveLength(1)
}, 60_000)

test("two workers that share a port: one upstream call for sixty callers", async () => {
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
  const answers = await Promise.all(sent)
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expect(new Set(texts).size).toBe(1)
  expect(texts[0]).toEndWith(DONE)
  expect(vendor.bodies).toHaveLength(1)
  expect(await chargesOf(installation, account)).toHaveLength(1)
}, 60_000)

test("a process that is told to end finishes what only another one's caller waits for", async () => {
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
}, 60_000)

test("a process that stands still is waited for, and not taken for dead", async () => {
  const { vendor, gates } = startPausing()
  using _ = vendor
  using installation = createInstallation(yamlFor(vendor.url))
  const { key, account } = await newKey(installation)
  await using one = await startServing(installation)
  await using two = await startServing(installation)
  const order = { key, idempotencyKey: "stopped", stream: true }
  const first = await readPast(await send(one, order), "one ")
  one.process.kill("SIGSTOP")
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
}, 60_000)

test("when the process of the first dies, the second one's connection is cut, and a retry runs again", async () => {
  const { vendor, gates } = startPausing()
  using _ = vendor
  using installation = createInstallation(yamlFor(vendor.url))
  const { key, account } = await newKey(installation)
  await using one = await startServing(installation)
  await using two = await startServing(installation)
  const order = { key, idempotencyKey: "dies", stream: true }
  const first = await readPast(await send(one, order), "one ")
  const second = await readPast(await send(two, order), "one ")
  const isCut = second.rest().then(
    () => false,
    () => true,
  )
  first.rest().catch(() => {})
  one.process.kill("SIGKILL")
  expect(await isCut).toBe(true)
  const sent = send(two, order)
  await until(() => vendor.bodies.length > 1)
  gates[1]?.resolve()
  const third = await sent
  expect(await third.text()).toEndWith(DONE)
  expect(await (await send(two, order)).text()).toEndWith(DONE)
  expect(await chargesOf(installation, account)).toEqual([third.headers.get("x-request-id") ?? ""])
}, 60_000)

/** Every other one is streamed. */
function kindOf(idempotencyKey: string): Pick<Order, "model" | "stream"> {
  return /[02468]$/.test(idempotencyKey) ? { model: "streaming/x", stream: true } : {}
}

const ROUNDS = 5
const CALLERS = 16

/** Asks with the same key until it gets a whole answer; whatever happens, it is charged once. */
async function askUntilAnswered(
  serving: () => ServingProcess,
  order: Order,
): Promise<{ status: number; id: string }> {
  for (;;) {
    try {
      const response = await send(serving(), order)
      const text = await response.text()
      const isWhole = order.stream ? text.endsWith(DONE) : text.endsWith("}")
      const id = response.headers.get("x-request-id") ?? ""
      if (response.status === 409) {
        return { status: 409, id: JSON.parse(text).error.original_request_id as string }
      }
      if (response.ok && isWhole) return { status: 200, id }
    } catch {
      // The gateway has died; the next one answers.
    }
    await Bun.sleep(10)
  }
}

test("kill -9 in the middle, again and again: each key is one charge at most", async () => {
  using streaming = startVendor(() =>
    streamed([frame("one "), 5, frame("two "), 5, frame("", "stop"), usageFrame(10, 1), DONE]),
  )
  using plain = startVendor(async () => {
    await Bun.sleep(5)
    return Response.json(wholeAnswer())
  })
  const more = `
  streaming: { vendor: openai-compatible, api_key: upstream, base_url: "${streaming.url}" }
models:
  streaming/x: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }`
  using installation = createInstallation(yamlFor(plain.url).replace("\nmodels:", more))
  const { key, account } = await newKey(installation)
  let serving = await startServing(installation)
  const over = new AbortController()
  const outcomes = new Map<string, { status: number; id: string }>()
  let number = 0
  const caller = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const idempotencyKey = `key ${number++}`
      const order = { key, idempotencyKey, ...kindOf(idempotencyKey) }
      outcomes.set(idempotencyKey, await askUntilAnswered(() => serving, order))
    }
  }
  const callers = Array.from({ length: CALLERS }, caller)
  for (let round = 0; round < ROUNDS; round++) {
    const enough = outcomes.size + 100
    await until(() => outcomes.size >= enough)
    serving.process.kill("SIGKILL")
    await serving.process.exited
    serving = await startServing(installation)
  }
  over.abort()
  await Promise.all(callers)
  // Each key once more: the same answer, or the same word on it.
  for (const [idempotencyKey, { status, id }] of outcomes) {
    const response = await send(serving, { key, idempotencyKey, ...kindOf(idempotencyKey) })
    await response.text()
    if (status === 200) expect(response.headers.get("x-request-id")).toBe(id)
    else expect(response.status).toBe(409)
  }
  serving.process.kill("SIGTERM")
  await serving.process.exited
  const charges = await chargesOf(installation, account)
  const ids = [...outcomes.values()].map(({ id }) => id)
  expect(new Set(charges)).toEqual(new Set(ids))
  expect(charges).toHaveLength(outcomes.size)
  await using store = await openStore(databasePath(installation.data))
  expect((await verifyLedgers(store)).problems).toEqual([])
}, 180_000)

const ADMIN = "admin-token-for-tests"

/** Grants one credit under a key until that has been answered. */
async function grantOnce(
  serving: () => ServingProcess,
  account: string,
  idempotencyKey: string,
): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`${serving().url}/admin/v1/accounts/${account}/entries`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${ADMIN}`,
          "content-type": "application/json",
          "idempotency-key": idempotencyKey,
        },
        body: JSON.stringify({ kind: "grant", amount: "1", note: idempotencyKey }),
        keepalive: false,
      })
      await response.text()
      if (response.ok || response.status === 409) return
    } catch {
      // The gateway has died; the next one answers.
    }
    await Bun.sleep(10)
  }
}

test("kill -9 between grants: each key is one entry", async () => {
  using vendor = startVendor(() => Response.json(wholeAnswer()))
  using installation = createInstallation(`admin_token: ${ADMIN}\n${yamlFor(vendor.url)}`)
  const { account } = await newKey(installation)
  let serving = await startServing(installation)
  const over = new AbortController()
  let number = 0
  let granted = 0
  const granter = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await grantOnce(() => serving, account, `grant ${number++}`)
      granted++
    }
  }
  const granters = Array.from({ length: CALLERS }, granter)
  for (let round = 0; round < ROUNDS; round++) {
    const enough = granted + 50
    await until(() => granted >= enough)
    serving.process.kill("SIGKILL")
    await serving.process.exited
    serving = await startServing(installation)
  }
  over.abort()
  await Promise.all(granters)
  serving.process.kill("SIGTERM")
  await serving.process.exited
  await using store = await openStore(databasePath(installation.data))
  const entries = await store.entries.list(account, 0, 100_000)
  const notes = entries.flatMap(({ note }) => (note?.startsWith("grant ") ? [note] : []))
  expect(new Set(notes).size).toBe(notes.length)
  expect(notes).toHaveLength(number)
}, 180_000)

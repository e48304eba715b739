import { afterAll, expect, test } from "bun:test"
import { databaseAt, databaseOf } from "../../src/store/installation-database.ts"
import { PostgresServer } from "../support/postgres-server.ts"
import {
  createInstallation,
  type Installation,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { HELLO } from "../relay/support.ts"
import { sampleCombinations } from "../support/exhaustive.ts"
import { until } from "../support/until.ts"
import { newKey, readPast, startPausing, yamlFor } from "./idempotency-world.ts"

/** A streamed request in one format, and the ends of its responses. */
interface Format {
  readonly path: string
  readonly body: object
  readonly end: RegExp
  readonly broken: RegExp
}

const CONTENTS = [{ role: "user", parts: [{ text: "Hello there" }] }]
const RESPONSE = { model: "own/x", input: "Hello there", stream: true }

const FORMATS: Readonly<Record<string, Format>> = {
  chat: {
    path: "/v1/chat/completions",
    body: { model: "own/x", messages: HELLO, stream: true },
    end: /\[DONE\]\n\n$/,
    broken: /\n\ndata: \{"error":\{"message":[^\n]*"request_id":"req_[\w-]+"[^\n]*\n\n$/,
  },
  messages: {
    path: "/v1/messages",
    body: { model: "own/x", messages: HELLO, max_tokens: 100, stream: true },
    end: /"message_stop"\}\n\n$/,
    broken: /\n\nevent: error\ndata: \{"type":"error","error":\{[^\n]*\n\n$/,
  },
  responses: {
    path: "/v1/responses",
    body: RESPONSE,
    end: /response\.completed[^\n]*\n\n$/,
    broken: /\n\nevent: error\ndata: \{"type":"error",[^\n]*"sequence_number":\d+\}\n\n$/,
  },
  gemini: {
    path: "/v1beta/models/own/x:streamGenerateContent?alt=sse",
    body: { contents: CONTENTS },
    end: /usageMetadata[^\n]*\n\n$/,
    broken: /\n\ndata: \{"error":\{"code":503,[^\n]*\n\n$/,
  },
}

let postgres: Promise<PostgresServer> | undefined
afterAll(async () => await (await postgres)?.[Symbol.asyncDispose]())

/** Functions that return the address of a new database; undefined: a database in the data folder. */
const ENGINES: Readonly<Record<string, () => Promise<string | undefined>>> = {
  SQLite: async () => undefined,
  PostgreSQL: async () => {
    const server = await (postgres ??= PostgresServer.start({ isDurable: true }))
    return server.url(await server.create())
  },
}

/** Two processes with one data folder, and a provider that sends a word and then waits. */
class World implements AsyncDisposable {
  readonly vendor = startPausing()
  readonly installation: Installation
  readonly #opened: AsyncDisposable[] = []
  readonly #url: string | undefined

  constructor(url: string | undefined) {
    const yaml = yamlFor(this.vendor.vendor.url).replace("port: 0", "port: 0, drain: 1s")
    const database = url === undefined ? "" : `database: { url: "${url}" }\n`
    this.installation = createInstallation(database + yaml)
    this.#url = url
  }

  /** Returns the charged requests of an account. */
  async charges(account: string): Promise<string[]> {
    const { data } = this.installation
    const url = this.#url
    const database =
      url === undefined
        ? databaseOf({ data })
        : databaseAt({ engine: "postgresql", url, connections: 1 })
    await using store = await database.openStore()
    const entries = await store.entries.list(account, 0, 1_000)
    return entries.flatMap(({ kind, request }) =>
      kind === "charge" && request !== null ? [request] : [],
    )
  }

  async start(): Promise<ServingProcess> {
    const serving = await startServing(this.installation)
    this.#opened.push(serving)
    return serving
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const serving of this.#opened) await serving[Symbol.asyncDispose]()
    this.vendor.vendor[Symbol.dispose]()
    this.installation[Symbol.dispose]()
  }
}

function send(
  { url }: ServingProcess,
  { path, body }: Format,
  key: string,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": `once ${path}`,
    },
    body: JSON.stringify(body),
    keepalive: false,
    ...(signal && { signal }),
  })
}

const CASES: Readonly<Record<string, (world: World) => Promise<void>>> = {
  "a retry at another process gets the whole stream of a caller that disconnected": async (
    world,
  ) => {
    const { key, account } = await newKey(world.installation)
    const [one, two] = [await world.start(), await world.start()]
    const formats = Object.values(FORMATS)
    for (const format of formats) {
      const connection = new AbortController()
      await readPast(await send(one, format, key, connection.signal), "one ")
      connection.abort()
    }
    const attached = await Promise.all(
      formats.map(async (format) => readPast(await send(two, format, key), "one ")),
    )
    for (const gate of world.vendor.gates) gate.resolve()
    for (const [index, format] of formats.entries()) {
      const text = await attached[index]?.rest()
      expect(text).toMatch(format.end)
      expect(await (await send(two, format, key)).text()).toBe(text ?? "")
      expect(await (await send(one, format, key)).text()).toBe(text ?? "")
    }
    expect(world.vendor.vendor.bodies).toHaveLength(formats.length)
    expect(await world.charges(account)).toHaveLength(formats.length)
  },

  "a reader at another process gets the format's error event when the first is killed": async (
    world,
  ) => {
    const { key, account } = await newKey(world.installation)
    const [one, two] = [await world.start(), await world.start()]
    const formats = Object.values(FORMATS)
    const attached = []
    for (const format of formats) {
      const first = await readPast(await send(one, format, key), "one ")
      attached.push(await readPast(await send(two, format, key), "one "))
      first.rest().catch(() => {})
    }
    one.process.kill("SIGKILL")
    for (const [index, format] of formats.entries()) {
      expect(await attached[index]?.rest()).toMatch(format.broken)
    }
    const retries = formats.map((format) => send(two, format, key))
    await until(() => world.vendor.gates.length === 2 * formats.length)
    for (const gate of world.vendor.gates) gate.resolve()
    const responses = await Promise.all(retries)
    for (const [index, format] of formats.entries()) {
      expect(await responses[index]?.text()).toMatch(format.end)
    }
    const ids = responses.map(({ headers }) => headers.get("x-request-id") ?? "")
    expect((await world.charges(account)).toSorted()).toEqual(ids.toSorted())
  },

  "a process that shuts down stores its partial answer with the format's error event": async (
    world,
  ) => {
    const { key, account } = await newKey(world.installation)
    const [one, two] = [await world.start(), await world.start()]
    const formats = Object.values(FORMATS)
    for (const format of formats) {
      const connection = new AbortController()
      await readPast(await send(one, format, key, connection.signal), "one ")
      connection.abort()
    }
    one.process.kill("SIGTERM")
    await one.process.exited
    for (const format of formats) {
      const text = await (await send(two, format, key)).text()
      expect(text).toContain("one ")
      expect(text).toContain("shutting down")
      expect(await (await send(two, format, key)).text()).toBe(text)
    }
    expect(await world.charges(account)).toHaveLength(formats.length)
  },
}

for (const [[name, run], [engine, newDatabase]] of sampleCombinations(
  2,
  Object.entries(CASES),
  Object.entries(ENGINES),
)) {
  test(`${engine}: idempotency survives an interruption at any point: ${name}`, async () => {
    await using world = new World(await newDatabase())
    await run(world)
  })
}

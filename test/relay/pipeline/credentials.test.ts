import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import type { NamedCredential, ProviderSettings } from "../../../src/config/settings.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { samplesOf, valueOf } from "../../metrics/samples.ts"
import { wholeResponse } from "../scripted-vendor.ts"
import { CHAT, HELLO, receiptOf, receiptsOf } from "../support.ts"

const RESPONSES = "/v1/responses"
const METRICS = "token-of-the-metrics"
const MAIN = "canary-key-of-the-first"
const BACKUP = "canary-key-of-the-second"
/** Enough requests to use both credentials. The probability that one of them stays unused is one in 500 billion. */
const ENOUGH = 40
const KEYS: readonly NamedCredential[] = [
  { name: "main", weight: 1, apiKey: MAIN },
  { name: "backup", weight: 1, apiKey: BACKUP },
]

interface Rejection {
  readonly status: number
  readonly code?: string
  readonly headers?: Record<string, string>
}

/** A vendor with one organization for each key. An organization cannot find objects of another. */
class Organizations implements Disposable {
  /** The key of each request, oldest first. */
  readonly keys: string[] = []
  /** The errors that requests with a key receive instead of a response. */
  readonly rejections = new Map<string, Rejection>()
  readonly stored = new Map<string, Set<string>>()
  readonly organizations = new Map([
    [MAIN, "one"],
    [BACKUP, "two"],
  ])
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => this.#response(request),
  })
  #made = 0

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/v1`
  }

  #response = async (request: Request): Promise<Response> => {
    const key = request.headers.get("authorization")?.replace("Bearer ", "") ?? ""
    const rejection = this.rejections.get(key)
    this.keys.push(key)
    const message = `The key ${key} may not.`
    if (rejection) return Response.json({ error: { message, code: rejection.code } }, rejection)
    const { pathname } = new URL(request.url)
    const own = this.stored.get(key) ?? new Set()
    this.stored.set(key, own)
    if (request.method === "DELETE") {
      return new Response(null, {
        status: own.delete(pathname.split("/").at(-1) ?? "") ? 200 : 404,
      })
    }
    if (pathname.endsWith("/models")) return Response.json({ data: [{ id: "gpt" }] })
    const body = (await request.json()) as { previous_response_id?: string; input?: unknown }
    const encrypted = JSON.stringify(body.input)?.match(/"encrypted_content":"for (\S+?)"/)?.[1]
    if (encrypted !== undefined && encrypted !== this.organizations.get(key)) {
      const error = { code: "invalid_encrypted_content", message: "It is another organization's." }
      return Response.json({ error }, { status: 400 })
    }
    if (!pathname.endsWith("/responses")) return Response.json(wholeResponse())
    const previous = body.previous_response_id
    if (previous !== undefined && !own.has(previous)) {
      const error = { message: `Response '${previous}' not found.`, param: "previous_response_id" }
      return Response.json({ error }, { status: 404 })
    }
    const id = `resp_${++this.#made}`
    own.add(id)
    return Response.json({
      id,
      object: "response",
      created_at: 1,
      status: "completed",
      model: "gpt",
      output: [
        {
          type: "message",
          id: `msg_${id}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Hello", annotations: [] }],
        },
      ],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    })
  };

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }
}

let vendor: Organizations
let other: Organizations
let gateway: TestGateway
let caller: TestCaller

function withKeys(url: string, apiKeys = KEYS, kind = "openai-compatible"): ProviderSettings {
  const { apiKey: _, ...bare } = provider(url, kind)
  return { ...bare, apiKeys }
}

beforeAll(async () => {
  vendor = new Organizations()
  other = new Organizations()
  gateway = await startGateway({
    providers: {
      many: withKeys(vendor.url),
      state: withKeys(vendor.url, KEYS, "openai"),
      weighted: withKeys(
        vendor.url,
        KEYS.map((key, index) => ({ ...key, weight: index === 0 ? 3 : 0 })),
      ),
      other: provider(other.url),
    },
    settings: {
      metrics: { host: "", token: METRICS },
      responses: { keep: 0, accountBytes: 0, totalBytes: 0 },
    },
    models: {
      ...Object.fromEntries(
        ["a", "rejected", "limited", "spent", "both"].map((name) => [`many/${name}`, simulated()]),
      ),
      "state/gpt": simulated({ context: 1_000_000 }),
      "weighted/a": simulated(),
      "many/ordered": simulated({
        strategy: "order",
        deployments: [
          { provider: "many", model: "ordered", weight: 1 },
          { provider: "other", model: "ordered", weight: 5 },
        ],
      }),
      "many/shared": simulated({
        deployments: [
          { provider: "many", model: "shared", weight: 1 },
          { provider: "other", model: "shared", weight: 1 },
        ],
      }),
    },
  })
  caller = await gateway.caller("10")
})

beforeEach(() => {
  vendor.rejections.clear()
  vendor.keys.length = 0
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
  other[Symbol.dispose]()
})

const ask = (model: string, more: object = {}) =>
  caller.post(CHAT, { model, messages: HELLO, ...more })

async function servedBy(model: string, more: object = {}): Promise<string | null> {
  const response = await ask(model, more)
  expect(response.status).toBe(200)
  return (await receiptOf(caller, response)).deployment
}

function inTurn<Value>(count: number, ask: (index: number) => Promise<Value>): Promise<Value[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
}

describe("several credentials of a provider", () => {
  test("share the requests, and receipts contain the name of the credential but not its secret", async () => {
    const places = await inTurn(ENOUGH, () => servedBy("many/a"))
    expect(new Set(places)).toEqual(new Set(["many/a#main", "many/a#backup"]))
    expect(new Set(vendor.keys)).toEqual(new Set([MAIN, BACKUP]))
    expect(JSON.stringify(receiptsOf(gateway, caller))).not.toContain("canary")
    const headers = { authorization: `Bearer ${METRICS}` }
    const text = await (await fetch(`${gateway.url}/metrics`, { headers })).text()
    expect(text).not.toContain("canary")
    const counted = ["main", "backup"].map((credential) =>
      valueOf(samplesOf(text), "tollgate_attempts_total", { provider: "many", credential }),
    )
    expect(counted.every((count) => count > 0)).toBe(true)
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(ENOUGH)
  })

  test("serve all requests that have the same cache key with the same credential", async () => {
    const keyed = (key: number) => servedBy("many/a", { prompt_cache_key: `chat ${key}` })
    const first = await inTurn(ENOUGH, keyed)
    expect(await inTurn(ENOUGH, keyed)).toEqual(first)
    expect(new Set(first).size).toBe(2)
  })

  test("have a share of the weight of their deployment", async () => {
    const random = Array.from({ length: 400 }, () => 0)
    await inTurn(random.length, () => ask("many/shared"))
    const share = vendor.keys.length / random.length
    // The share must be about one half, within more than five standard deviations.
    expect(share).toBeGreaterThan(0.36)
    expect(share).toBeLessThan(0.64)
  })

  test("serve only as a fallback if they have weight 0", async () => {
    expect(new Set(await inTurn(10, () => servedBy("weighted/a")))).toEqual(
      new Set(["weighted/a#main"]),
    )
    vendor.rejections.set(MAIN, { status: 500 })
    expect(await servedBy("weighted/a")).toBe("weighted/a#backup")
  })

  test("have equal rank if their provider comes first in an order", async () => {
    const places = await inTurn(ENOUGH, () => servedBy("many/ordered"))
    expect(new Set(places)).toEqual(new Set(["many/ordered#main", "many/ordered#backup"]))
    const keyed = await inTurn(5, () => servedBy("many/ordered", { prompt_cache_key: "same" }))
    expect(new Set(keyed).size).toBe(1)
    vendor.rejections.set(MAIN, { status: 500 })
    vendor.rejections.set(BACKUP, { status: 500 })
    expect(await servedBy("many/ordered")).toBe("other/ordered")
  })

  const troubles: readonly [string, string, Rejection][] = [
    ["is rejected", "many/rejected", { status: 401 }],
    ["is over its rate", "many/limited", { status: 429, headers: { "retry-after": "60" } }],
    ["is out of money", "many/spent", { status: 429, code: "insufficient_quota" }],
  ]
  test.each(troubles)(
    "cool down individually if one credential %s",
    async (_, model, rejection) => {
      vendor.rejections.set(MAIN, rejection)
      expect(new Set(await inTurn(20, () => servedBy(model)))).toEqual(new Set([`${model}#backup`]))
      vendor.keys.length = 0
      await inTurn(20, () => servedBy(model))
      expect(new Set(vendor.keys)).toEqual(new Set([BACKUP]))
    },
  )

  test("never appear in a response, even if all of them fail", async () => {
    vendor.rejections.set(MAIN, { status: 400 })
    vendor.rejections.set(BACKUP, { status: 400 })
    const response = await ask("many/both")
    expect(response.status).toBe(400)
    const text = await response.text()
    expect(text).toContain("The key ")
    expect(text).not.toContain("canary")
  })
})

describe("requests for data stored by a vendor under one credential", () => {
  const respond = (more: object = {}) =>
    caller.post(RESPONSES, { model: "state/gpt", input: "Hi", store: true, ...more })

  test("do not use another credential", async () => {
    const made = await inTurn(
      ENOUGH,
      async () => (await (await respond()).json()) as { id: string },
    )
    expect([...vendor.stored.values()].map(({ size }) => size > 0)).toEqual([true, true])
    for (const { id } of made) {
      const next = await respond({ previous_response_id: id })
      expect(next.status).toBe(200)
      const { deployment, routed_by } = (await receiptOf(caller, next)) as {
        deployment: string
        routed_by?: string
      }
      expect(routed_by).toBe("state")
      const owner = vendor.stored.get(MAIN)?.has(id) ? "main" : "backup"
      expect(deployment).toBe(`state/gpt#${owner}`)
    }
  })

  test("delete the data with the credential that stored it", async () => {
    const made = await inTurn(8, async () => (await (await respond()).json()) as { id: string })
    for (const { id } of made) {
      const deleted = await fetch(`${gateway.url}${RESPONSES}/${id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${caller.key}` },
      })
      expect(deleted.status).toBe(200)
      expect([...vendor.stored.values()].some((own) => own.has(id))).toBe(false)
    }
  })

  test("use the credential that encrypted the reasoning", async () => {
    const reasoning = (organization: string) => ({
      input: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: `for ${organization}` },
        { role: "user", content: "Go on" },
      ],
      store: false,
    })
    for (const [organization, owner] of [
      ["one", "main"],
      ["two", "backup"],
    ] as const) {
      const responses = await inTurn(8, () => respond(reasoning(organization)))
      for (const response of responses) {
        expect(response.status).toBe(200)
        expect((await receiptOf(caller, response)).deployment).toBe(`state/gpt#${owner}`)
      }
    }
    const nobody = await respond(reasoning("nobody"))
    expect(nobody.status).toBe(400)
    expect(await nobody.text()).toContain("another organization's")
  })

  test("use the first credential if the data was stored before other credentials were added", async () => {
    const single = { ...provider(vendor.url, "openai"), apiKey: MAIN }
    const { settings } = gateway
    await gateway.app.apply({ ...settings, providers: { ...settings.providers, state: single } })
    const { id } = (await (await respond()).json()) as { id: string }
    await gateway.app.apply(settings)
    for (let turn = 0; turn < 5; turn++) {
      const next = await respond({ previous_response_id: id })
      expect((await receiptOf(caller, next)).deployment).toBe("state/gpt#main")
    }
  })
})

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, type TestGateway } from "../support/gateway.ts"
import { ask, asked, startManaged } from "../http/admin/support.ts"
import { until } from "../support/until.ts"

const MESSAGES = [{ role: "user", content: "a secret prompt" }]
/** The provider's credential in these tests. */
const CREDENTIAL = "upstream"

let vendor: Bun.Server<undefined>
let answer: () => Response
let gateway: TestGateway

beforeAll(async () => {
  vendor = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answer() })
  const deployment = (name: string) => ({ provider: name, model: "echo", weight: 1 })
  gateway = await startManaged({
    models: {
      "broken/echo": simulated(),
      "both/echo": simulated({ deployments: [deployment("broken"), deployment("sim")] }),
    },
    providersAt: (url) => ({
      sim: provider(`${url}/v1`),
      broken: provider(`http://127.0.0.1:${vendor.port}/v1`),
    }),
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

interface Failure {
  readonly id: string
  readonly account: string | null
  readonly key: string | null
  readonly code: string
  readonly status: number
  readonly endpoint: string
  readonly model: string | null
  readonly message: string
  readonly parameter: string | null
}

interface Known {
  readonly receipt: { readonly status: string } | null
  readonly failure: Failure | null
  readonly attempts: readonly { readonly message: string; readonly status: number }[]
}

const idOf = (response: Response): string => response.headers.get("x-request-id") ?? ""

/** Returns the operator's record of a request. It includes failures that are not stored yet. */
async function knownOf(id: string): Promise<Known> {
  const response = await ask(gateway, "GET", `/requests/${id}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Known
}

describe("a rejected request in the failure log", () => {
  test("has its id, its reason, its caller and its model", async () => {
    const caller = await gateway.caller()
    const rejected = await caller.post("/v1/chat/completions", {
      model: "sim/nothing\u0000here",
      messages: MESSAGES,
    })
    expect(rejected.status).toBe(404)
    const { receipt, failure, attempts } = await knownOf(idOf(rejected))
    expect(receipt).toBeNull()
    expect(attempts).toEqual([])
    expect(failure).toMatchObject({
      id: idOf(rejected),
      account: caller.account.id,
      key: caller.keyId,
      endpoint: "/v1/chat/completions",
      model: "sim/nothing here",
      status: 404,
      code: "model_not_found",
      parameter: "model",
    })
    expect(JSON.stringify(failure)).not.toContain("secret prompt")
  })

  test.each([
    ["/v1/messages", { model: "sim/echo", messages: [], max_tokens: 5 }, "sim/echo"],
    ["/v1/embeddings", { model: "sim/echo" }, "sim/echo"],
    ["/v1/chat/completions", "{not json", null],
  ] as const)("appears for %s", async (path, body, model) => {
    const caller = await gateway.caller()
    const rejected = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    })
    expect(rejected.status).toBe(400)
    const { failure } = await knownOf(idOf(rejected))
    expect(failure).toMatchObject({ endpoint: path, model, status: 400, key: caller.keyId })
  })

  test("can be found by its account, its code and its message if credits are insufficient", async () => {
    const poor = await gateway.caller("0")
    const rejected = await poor.post("/v1/chat/completions", {
      model: "sim/echo",
      messages: MESSAGES,
    })
    expect(rejected.status).toBe(402)
    await knownOf(idOf(rejected))
    for (const query of [
      `account=${poor.account.id}`,
      "code=insufficient_credits",
      `search=${idOf(rejected)}`,
    ]) {
      const { data } = await asked(gateway, "GET", `/failures?${query}`)
      expect((data as Failure[]).map(({ id }) => id)).toEqual([idOf(rejected)])
    }
  })

  test("shows operators that the caller was unknown, and hides the sent key", async () => {
    const rejected = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sk-tg-wrong-key-of-somebody" },
      body: "{}",
    })
    expect(rejected.status).toBe(401)
    const { failure } = await knownOf(idOf(rejected))
    expect(failure).toMatchObject({ account: null, key: null, code: "invalid_api_key" })
    expect(JSON.stringify(failure)).not.toContain("wrong-key")
  })

  test("has the vendor's message only for operators", async () => {
    const words = "No such thing as 'a secret prompt'"
    const error = { message: words, param: "a secret prompt", code: "bad" }
    answer = () => Response.json({ error }, { status: 400 })
    const caller = await gateway.caller()
    const rejected = await caller.post("/v1/chat/completions", {
      model: "broken/echo",
      messages: MESSAGES,
    })
    expect(await rejected.text()).toContain(words)
    const { failure, attempts } = await knownOf(idOf(rejected))
    expect(attempts).toMatchObject([{ message: words }])
    expect(failure).toMatchObject({ code: "rejected_by_upstream", status: 400, parameter: "…" })
    expect(JSON.stringify(failure)).not.toContain("secret prompt")
  })

  test.each([
    ["small", "'small'"],
    ["a secret prompt, which isn't a size", "'…'"],
    ["a", "'a'"],
  ])("has the reason for the value '%s': %s", async (size, said) => {
    const caller = await gateway.caller()
    const rejected = await caller.post("/v1/images/generations", {
      model: "sim/dall-e-2",
      prompt: "a secret prompt",
      size,
    })
    expect(rejected.status).toBe(400)
    const { failure } = await knownOf(idOf(rejected))
    expect(failure?.message).toContain(`Invalid value: ${said}. A size is`)
  })

  test("has only the prefix of a key that was sent in place of a model", async () => {
    const caller = await gateway.caller()
    const rejected = await caller.post("/v1/chat/completions", {
      model: `sim/${caller.key}`,
      messages: MESSAGES,
    })
    expect(await rejected.text()).toContain("sim/sk-tg-…")
    const { failure } = await knownOf(idOf(rejected))
    expect(failure).toMatchObject({ code: "model_not_found", model: "sim/sk-tg-…" })
    expect(JSON.stringify(failure)).not.toContain(caller.key)
  })

  test("disappears during a flood, which is reported and does not evict requests of other callers", async () => {
    const flood = Array.from({ length: 200 }, () =>
      fetch(`${gateway.url}/v1/models`, { headers: { authorization: "Bearer nobody" } }),
    )
    const caller = await gateway.caller()
    const rejected = await caller.post("/v1/chat/completions", {
      model: "sim/none",
      messages: MESSAGES,
    })
    await Promise.all(flood)
    expect((await knownOf(idOf(rejected))).failure).toMatchObject({ code: "model_not_found" })
    await until(() => gateway.heard.some(({ name }) => name === "failuresLost"))
    const { data } = await asked(gateway, "GET", "/failures?endpoint=/v1/models&limit=200")
    expect((data as Failure[]).length).toBeLessThan(100)
  })
})

describe("the reason for a failed attempt", () => {
  test("shows operators the vendor's message without the operator's credential", async () => {
    const words = `Quota of ${CREDENTIAL} is over ${"x".repeat(1_000)}`
    answer = () => Response.json({ error: { message: words, code: "quota" } }, { status: 500 })
    const caller = await gateway.caller()
    const failed = await caller.post("/v1/chat/completions", {
      model: "broken/echo",
      messages: MESSAGES,
    })
    expect(failed.status).toBe(502)
    expect(await failed.text()).not.toContain("Quota")
    const { receipt, failure, attempts } = await knownOf(idOf(failed))
    expect(receipt).toMatchObject({ status: "released" })
    expect(failure).toMatchObject({ code: "upstream_error", status: 502 })
    expect(attempts).toMatchObject([
      { deployment: "broken/echo", status: 500, outcome: "upstream_error" },
    ])
    const [{ message } = { message: "" }] = attempts
    expect(message).toStartWith("Quota of ")
    expect(message).not.toContain(CREDENTIAL)
    expect(message.length).toBe(500)
  })

  test("appears even for a request that another deployment has answered", async () => {
    answer = () => new Response("<html>Bad gateway</html>", { status: 502 })
    const caller = await gateway.caller()
    let known: Known | undefined
    await until(async () => {
      const served = await caller.post("/v1/chat/completions", {
        model: "both/echo",
        messages: MESSAGES,
      })
      expect(served.status).toBe(200)
      await served.text()
      const response = await ask(gateway, "GET", `/requests/${idOf(served)}`)
      known = (await response.json()) as Known
      const failed = JSON.stringify(known.receipt).includes('"upstream_error"')
      if (failed) known = await knownOf(idOf(served))
      return failed
    })
    expect(known?.failure).toBeNull()
    expect(known?.attempts).toMatchObject([{ status: 502, message: "<html>Bad gateway</html>" }])
  })

  test("includes the cause of a failed connection", async () => {
    await using dead = await startManaged({
      models: { "dead/echo": simulated() },
      providers: { dead: provider("http://127.0.0.1:1/v1") },
    })
    const caller = await dead.caller()
    const failed = await caller.post("/v1/chat/completions", {
      model: "dead/echo",
      messages: MESSAGES,
    })
    expect(failed.status).toBe(502)
    await until(async () => {
      const response = await ask(dead, "GET", `/requests/${idOf(failed)}`)
      const { attempts } = (await response.json()) as Known
      return (
        attempts.length === 1 && attempts[0]?.status === 0 && /connect/i.test(attempts[0].message)
      )
    })
  })
})

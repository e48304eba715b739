import { describe, expect, test } from "bun:test"
import { KeyHasher } from "../../../src/keys/secret.ts"
import { SecretFolder } from "../../../src/secrets/secret-folder.ts"
import { KeyIssuer } from "../../support/key-issuer.ts"
import { type TestCaller } from "../../support/gateway.ts"
import { stateGateway } from "./state-gateway.ts"
import { creditsOf, errorOf, readUntil } from "../support.ts"
import { until } from "../../support/until.ts"

const RESPONSES = "/v1/responses"
const ASKED = [{ role: "user", content: "Hi" }]

const setup = stateGateway()

/** Returns the ids of the objects that a response created at its vendor. */
async function leave(
  caller: TestCaller,
  body: object = {},
): Promise<{ n: string; provider: string | null }> {
  const response = await caller.post(RESPONSES, { model: "first/gpt", input: "Hi", ...body })
  expect(response.status).toBe(200)
  const text = await response.text()
  const n = /resp_(\w+)/.exec(text)?.[1]
  if (n === undefined) throw new Error(text)
  return { n, provider: response.headers.get("x-tollgate-provider") }
}

/** The ways to name a stored object, with the position that the error names. */
const WAYS: readonly [name: string, path: string, body: (n: string) => object][] = [
  ["a response", "previous_response_id", (n) => ({ previous_response_id: `resp_${n}` })],
  ["a conversation", "conversation", (n) => ({ conversation: `conv_${n}` })],
  [
    "a conversation as an object",
    "conversation.id",
    (n) => ({ conversation: { id: `conv_${n}` } }),
  ],
  [
    "an item",
    "input[1].id",
    (n) => ({ input: [...ASKED, { type: "item_reference", id: `msg_${n}` }, ...ASKED] }),
  ],
  ["an item without a type", "input[0].id", (n) => ({ input: [{ id: `msg_${n}` }, ...ASKED] })],
  [
    "a file",
    "input[0].content[0].file_id",
    (n) => ({
      input: [{ role: "user", content: [{ type: "input_file", file_id: `cfile_${n}` }] }],
    }),
  ],
  [
    "a file for a container",
    "tools[0].container.file_ids[0]",
    (n) => ({
      tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: [`cfile_${n}`] } }],
    }),
  ],
  [
    "a container",
    "tools[0].container",
    (n) => ({ tools: [{ type: "code_interpreter", container: `cntr_${n}` }] }),
  ],
  [
    "the container of an earlier call",
    "input[0].container_id",
    (n) => ({
      input: [
        { type: "code_interpreter_call", id: "ci_1", container_id: `cntr_${n}`, code: "1" },
        ...ASKED,
      ],
    }),
  ],
  [
    "a container of a tool found by a search",
    "input[0].tools[0].container",
    (n) => ({
      input: [
        {
          type: "tool_search_output",
          call_id: "t",
          tools: [{ type: "code_interpreter", container: `cntr_${n}` }],
        },
        ...ASKED,
      ],
    }),
  ],
  [
    "a response for a cache comparison",
    "prompt_cache_options.comparison_response_id",
    (n) => ({ prompt_cache_options: { comparison_response_id: `resp_${n}` } }),
  ],
]

const STORE_SEARCH = { type: "file_search", vector_store_ids: ["vs_1"] }

/** Ways to name objects that no caller can have created through the gateway. */
const FOREIGN: readonly [name: string, path: string, body: object][] = [
  ["a prompt", "prompt.id", { prompt: { id: "pmpt_1" } }],
  [
    "a file in a prompt",
    "prompt.id",
    { prompt: { id: "pmpt_1", variables: { a: { type: "input_file", file_id: "file-1" } } } },
  ],
  [
    "a vector store",
    "tools[0].vector_store_ids[0]",
    { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
  ],
  ["emptied reasoning", "input[0].id", { input: [{ type: "reasoning", id: "rs_1", summary: [] }] }],
  [
    "a vector store in a namespace of tools",
    "tools[0].tools[0].vector_store_ids[0]",
    { tools: [{ type: "namespace", name: "n", tools: [STORE_SEARCH] }] },
  ],
  [
    "a vector store in added tools",
    "input[0].tools[0].vector_store_ids[0]",
    { input: [{ type: "additional_tools", role: "developer", tools: [STORE_SEARCH] }, ...ASKED] },
  ],
  [
    "a vector store in tools found by a search",
    "input[0].tools[0].vector_store_ids[0]",
    { input: [{ type: "tool_search_output", call_id: "t", tools: [STORE_SEARCH] }, ...ASKED] },
  ],
  [
    "a vector store in a namespace found by a search",
    "input[0].tools[0].tools[0].vector_store_ids[0]",
    {
      input: [
        {
          type: "tool_search_output",
          call_id: "t",
          tools: [{ type: "namespace", name: "n", tools: [STORE_SEARCH] }],
        },
        ...ASKED,
      ],
    },
  ],
  [
    "a collection",
    "tools[0].collection_ids[0]",
    { tools: [{ type: "collections_search", collection_ids: ["collection_1"] }] },
  ],
]

describe("vendor state of another account", () => {
  for (const [name, path, body] of WAYS) {
    test(`causes the same error as unknown vendor state: ${name}`, async () => {
      const { n } = await leave(setup.ann)
      const asked = setup.first.bodies.length
      const others = await setup.bob.post(RESPONSES, {
        model: "first/gpt",
        input: "Hi",
        ...body(n),
      })
      const nobodys = await setup.bob.post(RESPONSES, {
        model: "first/gpt",
        input: "Hi",
        ...body("x"),
      })
      expect(others.headers.get("x-should-retry")).toBe("false")
      const told = await errorOf(others)
      expect(told).toMatchObject({ status: 404, code: "not_found", param: path })
      const unknown = await errorOf(nobodys)
      const plain = (error: typeof told): object => ({
        ...error,
        message: error.message.replaceAll(`_${n}'`, "_x'"),
        request_id: "",
      })
      expect(plain(told)).toEqual(plain(unknown))
      expect(setup.first.bodies).toHaveLength(asked)
      expect(await creditsOf(setup.bob)).toMatchObject({ balance: "10", held: "0" })
    })

    test(`reaches the vendor in a request by its owner: ${name}`, async () => {
      const { n } = await leave(setup.ann)
      const own = await setup.ann.post(RESPONSES, { model: "first/gpt", input: "Hi", ...body(n) })
      expect(await own.text()).toContain("resp_")
      expect(own.status).toBe(200)
      expect(setup.first.bodies.at(-1)).toMatchObject(body(n))
    })
  }

  for (const [name, path, body] of FOREIGN) {
    test(`causes a not-found error for ${name}`, async () => {
      const rejected = await setup.ann.post(RESPONSES, { model: "first/gpt", input: "Hi", ...body })
      expect(await errorOf(rejected)).toMatchObject({ status: 404, param: path })
      expect(setup.first.bodies).toHaveLength(0)
    })
  }
})

test("ids in a stream can be used before the stream ends", async () => {
  for (let round = 0; round < 10; round++) {
    const { n } = await leave(setup.ann, { stream: true })
    for (const [, , body] of WAYS) {
      const own = await setup.ann.post(RESPONSES, { model: "first/gpt", input: "Hi", ...body(n) })
      expect(own.status).toBe(200)
      await own.text()
    }
  }
})

test("an account owns only the ids of tool outputs if the vendor does not store the response", async () => {
  const tools = [{ type: "code_interpreter", container: { type: "auto" } }]
  const { n } = await leave(setup.ann, { store: false, tools })
  const order = { model: "first/gpt", input: "Hi" }
  const gone = await setup.ann.post(RESPONSES, { ...order, previous_response_id: `resp_${n}` })
  expect(gone.status).toBe(404)
  const again = [{ type: "code_interpreter", container: `cntr_${n}` }]
  const own = await setup.ann.post(RESPONSES, { ...order, tools: again })
  expect(own.status).toBe(200)
})

test("a compaction request cannot use another account's response", async () => {
  const { n } = await leave(setup.ann)
  const body = { model: "first/gpt", input: "Hi", previous_response_id: `resp_${n}` }
  expect((await setup.bob.post(`${RESPONSES}/compact`, body)).status).toBe(404)
  expect((await setup.ann.post(`${RESPONSES}/compact`, body)).status).toBe(200)
})

test("an estimate includes stored data only of the caller's account", async () => {
  setup.first.inputTokens = 5_000
  const { n } = await leave(setup.ann)
  const head = { model: "first/gpt", input: "Hi", max_output_tokens: 20 }
  const estimate = (caller: TestCaller, more: object): Promise<Response> =>
    caller.post("/v1/estimate", { path: RESPONSES, body: { ...head, ...more } })
  const named = { previous_response_id: `resp_${n}` }
  const max = async (more: object): Promise<number> =>
    Number(((await (await estimate(setup.ann, more)).json()) as { most: string }).most)
  expect((await max(named)) - (await max({}))).toBeGreaterThanOrEqual(0.005_005)
  const told = await (await estimate(setup.ann, named)).text()
  expect(told).toContain("data stored at the vendor by its size")
  expect(told).not.toContain('"other"')
  expect((await estimate(setup.bob, named)).status).toBe(404)
})

test("a caller that cancels a stream owns the ids that it received", async () => {
  const controller = new AbortController()
  const response = await fetch(setup.gateway.url + RESPONSES, {
    method: "POST",
    headers: { authorization: `Bearer ${setup.ann.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "first/slow", input: "Hi", stream: true }),
    signal: controller.signal,
  })
  const reader = response.body?.getReader()
  if (!reader) throw new Error("no stream")
  const text = await readUntil(reader, (read) => read.includes("Hello"))
  controller.abort()
  await reader.read().catch(() => {})
  const id = /resp_\w+/.exec(text)?.[0] ?? ""
  const body = { model: "first/gpt", input: "Hi", previous_response_id: id }
  await until(async () => (await setup.ann.post(RESPONSES, body)).status === 200)
  expect((await setup.bob.post(RESPONSES, body)).status).toBe(404)
})

test("all keys of an account can use its state, including a rotated key", async () => {
  const { n } = await leave(setup.ann)
  const hasher = new KeyHasher(
    new SecretFolder(setup.gateway.settings.data).readOrCreate("key-pepper"),
  )
  const issuer = new KeyIssuer(setup.gateway.store, hasher)
  const { secret } = await issuer.issue({ account: setup.ann.account.id, name: "other" })
  const rotated = await issuer.rotate(setup.ann.keyId, 60_000)
  for (const key of [secret, rotated.secret]) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const body = { model: "first/gpt", input: "Hi", previous_response_id: `resp_${n}` }
    let status = 401
    await until(async () => {
      const response = await fetch(setup.gateway.url + RESPONSES, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      })
      await response.text()
      status = response.status
      return status !== 401
    })
    expect(status).toBe(200)
  }
})

describe("charges for vendor state", () => {
  test("cannot exceed a balance of 0.01 credits in ten simultaneous calls", async () => {
    // 400,000 input tokens and 5 output tokens leave 0.01 credits.
    const poor = await setup.gateway.caller("0.41001")
    setup.first.inputTokens = 400_000
    const { n } = await leave(poor, { max_output_tokens: 20 })
    expect(await poor.balance()).toBe(10_000_000n)
    const asked = setup.first.bodies.length
    const body = { model: "first/gpt", input: "Hi", previous_response_id: `resp_${n}` }
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => poor.post(RESPONSES, { ...body, max_output_tokens: 20 })),
    )
    const told = await Promise.all(responses.map(errorOf))
    expect(told.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 402))
    expect(Number(told[0]?.required)).toBeGreaterThan(0.4)
    expect(setup.first.bodies).toHaveLength(asked)
    expect(await poor.balance()).toBe(10_000_000n)
    expect(setup.gateway.heard.filter(({ name }) => name === "writtenOff")).toEqual([])
  })

  test("do not apply to simultaneous calls with unknown ids", async () => {
    const poor = await setup.gateway.caller("0.01")
    setup.first.inputTokens = 400_000
    const body = { model: "first/gpt", input: "Hi", previous_response_id: "resp_x" }
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => poor.post(RESPONSES, body)),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 404))
    expect(setup.first.bodies).toHaveLength(0)
    expect(await poor.balance()).toBe(10_000_000n)
  })

  /** Returns the number of input tokens that the hold of a request covers, at one credit per million. */
  async function heldInput(body: object): Promise<number> {
    const order = { model: "first/gpt", input: "Hi", max_output_tokens: 20, ...body }
    const response = await setup.ann.post(RESPONSES, order)
    await response.text()
    expect(response.status).toBe(200)
    const receipt = await setup.ann.get(`/v1/receipts/${response.headers.get("x-request-id")}`)
    const { hold } = (await receipt.json()) as { hold: string }
    return Math.round(Number(hold) * 1_000_000) - 40
  }

  test("require a hold that includes the content of the referenced response, item and file", async () => {
    setup.first.inputTokens = 5_000
    const { n } = await leave(setup.ann)
    const plain = await heldInput({})
    const response = await heldInput({ previous_response_id: `resp_${n}` })
    expect(response - plain).toBeGreaterThanOrEqual(5_005)
    expect(response - plain).toBeLessThan(5_100)
    const items = [`msg_${n}`, `ci_${n}`].map((id) => ({ type: "item_reference", id }))
    const item = await heldInput({ input: [...items, ...ASKED] })
    expect(item - plain).toBeGreaterThanOrEqual(5)
    expect(item - plain).toBeLessThan(200)
    const file = { type: "input_file", file_id: `cfile_${n}` }
    const whole = await heldInput({ input: [{ role: "user", content: [file] }] })
    expect(whole).toBe(1_000_000)
    const tool = (container: string | object) =>
      heldInput({ tools: [{ type: "code_interpreter", container }] })
    const difference = (await tool(`cntr_${n}`)) - (await tool({ type: "auto" }))
    expect(Math.abs(difference)).toBeLessThan(100)
  })
})

describe("stored responses of several accounts at a vendor", () => {
  test("come from the account that stores them", async () => {
    for (let round = 0; round < 4; round++) {
      const { n, provider: keeper } = await leave(setup.ann, { model: "both/gpt" })
      const body = { model: "both/gpt", previous_response_id: `resp_${n}` }
      for (let turn = 0; turn < 12; turn++) {
        expect((await leave(setup.ann, body)).provider).toBe(keeper)
      }
    }
  })

  test("do not come from another account after a failure", async () => {
    const { n } = await leave(setup.ann)
    setup.first.rejection = { status: 500, body: { error: { message: "down" } } }
    const body = { model: "both/gpt", input: "Hi", previous_response_id: `resp_${n}` }
    const failed = await setup.ann.post(RESPONSES, body)
    expect(await errorOf(failed)).toMatchObject({ status: 502, code: "upstream_error" })
    expect(setup.second.bodies).toHaveLength(0)
    setup.first.rejection = undefined
    expect((await leave(setup.ann, body)).provider).toBe("first")
  })

  test("cannot be used with a model that is not available at the account that stores them", async () => {
    const { n } = await leave(setup.ann)
    const body = { model: "second/gpt", input: "Hi", previous_response_id: `resp_${n}` }
    const rejected = await setup.ann.post(RESPONSES, body)
    const told = await errorOf(rejected)
    expect(told).toMatchObject({
      status: 400,
      code: "invalid_value",
      param: "previous_response_id",
    })
    expect(told.message).toContain("does not serve 'second/gpt'")
    expect(setup.second.bodies).toHaveLength(0)
  })
})

test("a request may reference at most a few thousand ids", async () => {
  const { n } = await leave(setup.ann)
  const asked = setup.first.bodies.length
  const many = Array.from({ length: 5_001 }, () => ({ type: "item_reference", id: `msg_${n}` }))
  const rejected = await setup.ann.post(RESPONSES, { model: "first/gpt", input: many })
  expect(await errorOf(rejected)).toMatchObject({ status: 400, param: "input[0].id" })
  expect(setup.first.bodies).toHaveLength(asked)
})

test("a vendor's own 404 for an id is returned, and the request is not retried", async () => {
  const { n } = await leave(setup.ann)
  const message = `Conversation with id 'conv_${n}' not found.`
  setup.first.rejection = {
    status: 404,
    body: { error: { message, type: "invalid_request_error", param: "conversation", code: null } },
  }
  setup.first.bodies.length = 0
  const body = { model: "both/gpt", input: "Hi", conversation: `conv_${n}` }
  const response = await setup.ann.post(RESPONSES, body)
  expect(response.headers.get("x-should-retry")).toBe("false")
  expect(await errorOf(response)).toMatchObject({ status: 404, message })
  expect(setup.first.bodies).toHaveLength(1)
  expect(setup.second.bodies).toHaveLength(0)
})

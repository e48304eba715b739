import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { simulated, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway({
    models: {
      "sim/unpriced": { kind: "chat" },
      "sim/other": simulated({ deployments: [{ provider: "sim", model: "echo", weight: 1 }] }),
    },
  })
  caller = await gateway.caller("1")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const CHAT = "/v1/chat/completions"
const HELLO = [{ role: "user", content: "Hello" }]

interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
    readonly error_type: string
    readonly request_id: string
  }
}

/** Asserts that an error matches its row in the error table, and that nothing is held or charged. */
async function expectRow(
  response: Response,
  status: number,
  code: string,
  param: string | null,
): Promise<ErrorBody["error"]> {
  const body = (await response.json()) as ErrorBody
  expect({ status: response.status, code: body.error.code, param: body.error.param }).toEqual({
    status,
    code,
    param,
  })
  expect(body.error.message.length).toBeGreaterThan(10)
  const id = response.headers.get("x-request-id")
  expect(id).toStartWith("req_")
  expect(response.headers.get("request-id")).toBe(id)
  expect(body.error.request_id).toBe(id ?? "")
  expect(["true", "false"]).toContain(response.headers.get("x-should-retry") ?? "")
  const credits = (await (await caller.get("/v1/credits")).json()) as {
    held: string
    balance: string
  }
  expect(credits).toMatchObject({ held: "0", balance: "1" })
  return body.error
}

describe("request body validation", () => {
  test("rejects a body that is not JSON", async () => {
    await expectRow(await caller.post(CHAT, "{not json"), 400, "invalid_json", null)
    await expectRow(await caller.post(CHAT, ""), 400, "invalid_json", null)
    await expectRow(await caller.post(CHAT, "[1,2]"), 400, "invalid_json", null)
  })

  test("rejects the wrong content type", async () => {
    const form = { "content-type": "multipart/form-data; boundary=x" }
    await expectRow(await caller.post(CHAT, "{}", form), 415, "unsupported_media_type", null)
  })

  test("accepts JSON with a charset or a suffix", async () => {
    for (const type of ["application/json; charset=utf-8", "application/vnd.api+json"]) {
      const response = await caller.post(
        CHAT,
        { model: "sim/nothing", messages: HELLO },
        { "content-type": type },
      )
      await expectRow(response, 404, "model_not_found", "model")
    }
  })

  test("rejects deep nesting", async () => {
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`
    const body = `{"model":"sim/echo","messages":[{"role":"user","content":"x"}],"metadata":${deep}}`
    await expectRow(await caller.post(CHAT, body), 400, "invalid_json", null)
  })

  test("rejects a 100 MB body before reading it", async () => {
    const { port } = new URL(gateway.url)
    const socket = connect(Number(port), "127.0.0.1")
    const head = [
      `POST ${CHAT} HTTP/1.1`,
      "host: gateway",
      `authorization: Bearer ${caller.key}`,
      "content-type: application/json",
      `content-length: ${100 * 1024 * 1024}`,
      "",
      "{",
    ].join("\r\n")
    const response = await new Promise<string>((resolve, reject) => {
      let text = ""
      socket.on("data", (chunk) => {
        text += chunk.toString()
        if (text.includes("body_too_large")) resolve(text)
      })
      socket.on("close", () => resolve(text))
      socket.on("error", reject)
      socket.write(head)
    })
    socket.destroy()
    expect(response).toStartWith("HTTP/1.1 413")
    expect(response).toContain('"code":"body_too_large"')
  })

  test("stops reading a body of unknown length at the size limit", async () => {
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 64 * 1024
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20))
      },
    })
    const response = await fetch(gateway.url + CHAT, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: endless,
    })
    await expectRow(response, 413, "body_too_large", null)
    expect(sent).toBeLessThan(128 * 1024 * 1024)
  })
})

describe("parameter validation", () => {
  const CASES: readonly [string, Record<string, unknown>, number, string, string][] = [
    ["a missing model", { messages: HELLO }, 400, "missing_required_parameter", "model"],
    ["a number as the model", { model: 1, messages: HELLO }, 400, "invalid_type", "model"],
    ["missing messages", { model: "sim/echo" }, 400, "missing_required_parameter", "messages"],
    ["empty messages", { model: "sim/echo", messages: [] }, 400, "invalid_value", "messages"],
    ["text as messages", { model: "sim/echo", messages: "hi" }, 400, "invalid_type", "messages"],
    [
      "an unknown role",
      { model: "sim/echo", messages: [{ role: "wizard", content: "x" }] },
      400,
      "invalid_value",
      "messages[0].role",
    ],
    [
      "a missing role",
      { model: "sim/echo", messages: [{ content: "x" }] },
      400,
      "missing_required_parameter",
      "messages[0].role",
    ],
    [
      "a number as content",
      { model: "sim/echo", messages: [{ role: "user", content: 5 }] },
      400,
      "invalid_type",
      "messages[0].content",
    ],
    [
      "temperature 2.1",
      { model: "sim/echo", messages: HELLO, temperature: 2.1 },
      400,
      "above_max_value",
      "temperature",
    ],
    [
      "temperature -1",
      { model: "sim/echo", messages: HELLO, temperature: -1 },
      400,
      "below_min_value",
      "temperature",
    ],
    [
      "text as the temperature",
      { model: "sim/echo", messages: HELLO, temperature: "hot" },
      400,
      "invalid_type",
      "temperature",
    ],
    [
      "top_p 1.1",
      { model: "sim/echo", messages: HELLO, top_p: 1.1 },
      400,
      "above_max_value",
      "top_p",
    ],
    ["n 0", { model: "sim/echo", messages: HELLO, n: 0 }, 400, "below_min_value", "n"],
    ["n 129", { model: "sim/echo", messages: HELLO, n: 129 }, 400, "above_max_value", "n"],
    ["n 1.5", { model: "sim/echo", messages: HELLO, n: 1.5 }, 400, "invalid_type", "n"],
    [
      "max_tokens 0",
      { model: "sim/echo", messages: HELLO, max_tokens: 0 },
      400,
      "below_min_value",
      "max_tokens",
    ],
    [
      "text as stream",
      { model: "sim/echo", messages: HELLO, stream: "yes" },
      400,
      "invalid_type",
      "stream",
    ],
    [
      "a number as stop",
      { model: "sim/echo", messages: HELLO, stop: 3 },
      400,
      "invalid_type",
      "stop",
    ],
    [
      "a model without a provider",
      { model: "ecko", messages: HELLO },
      404,
      "model_not_found",
      "model",
    ],
    ["an unknown model", { model: "sim/ecko", messages: HELLO }, 404, "model_not_found", "model"],
    [
      "an unpriced model",
      { model: "sim/unpriced", messages: HELLO },
      402,
      "model_not_priced",
      "model",
    ],
  ]

  for (const [name, body, status, code, param] of CASES) {
    test(`reports the error for ${name}`, async () => {
      await expectRow(await caller.post(CHAT, body), status, code, param)
    })
  }

  test("names the nearest model if the model is unknown", async () => {
    const error = await expectRow(
      await caller.post(CHAT, { model: "sim/ecko", messages: HELLO }),
      404,
      "model_not_found",
      "model",
    )
    expect(error.message).toContain("sim/echo")
  })

  test("accepts temperature together with top_p", async () => {
    const other = await gateway.caller("1")
    const body = { model: "sim/echo", messages: HELLO, temperature: 0.5, top_p: 0.5 }
    expect((await other.post(CHAT, body)).status).toBe(200)
  })
})

describe("key validation", () => {
  const request = (headers: Record<string, string>) =>
    fetch(gateway.url + CHAT, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "sim/echo", messages: HELLO }),
    })

  test("rejects a missing key", async () => {
    const response = await request({})
    expect(response.headers.get("www-authenticate")).toBe("Bearer")
    await expectRow(response, 401, "missing_api_key", null)
  })

  test("rejects malformed and unknown keys, and two different keys in one request", async () => {
    const unknown = `sk-tg-${"a".repeat(43)}`
    for (const credential of ["nonsense", "Bearer ", "Bearer sk-wrong", `Bearer ${unknown}`]) {
      const code = credential.trim() === "Bearer" ? undefined : "invalid_api_key"
      const response = await request({ authorization: credential })
      expect(response.status).toBe(401)
      if (code) await expectRow(response, 401, code, null)
    }
    const twice = `Bearer ${caller.key}, Bearer ${caller.key}`
    await expectRow(await request({ authorization: twice }), 401, "invalid_api_key", null)
  })

  test("rejects an expired key", async () => {
    const expired = await gateway.caller("1", { expiresAt: Date.now() + 400 })
    let response: Response
    do {
      response = await expired.post(CHAT, { model: "sim/nothing", messages: HELLO })
    } while (response.status !== 401)
    const body = (await response.json()) as ErrorBody
    expect(body.error.code).toBe("invalid_api_key")
    expect(body.error.message).toContain("expired")
  })

  test("rejects a model that the key cannot access", async () => {
    const limited = await gateway.caller("1", { models: ["sim/oth*"] })
    const rejected = await limited.post(CHAT, { model: "sim/echo", messages: HELLO })
    await expectRow(rejected, 403, "model_not_allowed", "model")
    const list = (await (await limited.get("/v1/models")).json()) as { data: { id: string }[] }
    expect(list.data.map(({ id }) => id)).toEqual(["sim/other"])
    expect((await limited.get("/v1/models/sim/echo")).status).toBe(404)
    expect((await limited.post(CHAT, { model: "sim/other", messages: HELLO })).status).toBe(200)
  })
})

describe("an invalid path or method", () => {
  test("returns 404 for an unknown path", async () => {
    await expectRow(await caller.get("/v1/nothing"), 404, "not_found", null)
    await expectRow(await caller.get("/nothing"), 404, "not_found", null)
  })

  test("returns 405 for an unsupported method", async () => {
    const response = await caller.get(CHAT)
    expect(response.headers.get("allow")).toBe("POST")
    await expectRow(response, 405, "method_not_allowed", null)
    const posted = await caller.post("/v1/models", {})
    expect(posted.headers.get("allow")).toContain("GET")
    await expectRow(posted, 405, "method_not_allowed", null)
  })

  test("returns 404 for another account's receipt", async () => {
    const other = await gateway.caller("1")
    const response = await other.post(CHAT, { model: "sim/echo", messages: HELLO })
    await response.text()
    const path = `/v1/receipts/${response.headers.get("x-request-id")}`
    expect((await other.get(path)).status).toBe(200)
    await expectRow(await caller.get(path), 404, "not_found", null)
  })
})

describe("a body with an invalid `toString`", () => {
  const ODD = { toString: 1 }
  const odd: readonly (readonly [string, object])[] = [
    [CHAT, { messages: HELLO, tools: [{ type: "shell", environment: { type: ODD } }] }],
    ["/v1/responses", { input: [{ role: "user", content: [{ type: ODD }] }] }],
    ["/v1/responses", { input: "Hello", tools: [{ type: "shell", environment: { type: ODD } }] }],
    [
      "/v1/messages",
      {
        max_tokens: 10,
        messages: [
          { role: "user", content: HELLO[0]?.content },
          { role: "assistant", content: [{ type: "tool_use", id: "t", name: "n", input: {} }] },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: ODD }] }],
          },
        ],
      },
    ],
    [
      "/v1/messages",
      {
        max_tokens: 10,
        messages: [
          { role: "user", content: [{ type: "text", text: "x", cache_control: { type: ODD } }] },
        ],
      },
    ],
    ["/v1/audio/speech", { input: "Hello", voice: "alloy", response_format: ODD }],
  ]
  for (const [path, body] of odd) {
    test(`causes no internal error: ${path} ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const response = await caller.post(path, { model: "sim/echo", ...body })
      expect(await response.text()).not.toContain("internal_error")
      expect(response.status).toBeLessThan(500)
    })
  }
})

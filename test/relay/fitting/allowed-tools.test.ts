import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/canon/json.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

const CHAT = { kind: "chat", price: { input: "1", output: "1" } } as const

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({
      anthropic: provider(url, "anthropic"),
      google: provider(url, "google"),
      cohere: provider(url, "cohere"),
      responses: { ...provider(`${url}/v1`, "openai"), dialects: ["openai-responses"] },
    }),
    models: {
      "anthropic/claude-sonnet-4-5": CHAT,
      "google/gemini-3-flash": CHAT,
      "cohere/command-a-03-2025": CHAT,
      "responses/echo": CHAT,
    },
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const NAMES = ["look", "read", "write"]
const ALLOWED = ["look", "write"]
const PARAMETERS = { type: "object", properties: {} }

const WAYS: readonly (readonly [string, (model: string, mode: string) => JsonObject])[] = [
  [
    "/v1/chat/completions",
    (model, mode) => ({
      model,
      messages: [{ role: "user", content: "Hello" }],
      tools: NAMES.map((name) => ({
        type: "function",
        function: { name, parameters: PARAMETERS },
      })),
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: {
          mode,
          tools: ALLOWED.map((name) => ({ type: "function", function: { name } })),
        },
      },
    }),
  ],
  [
    "/v1/responses",
    (model, mode) => ({
      model,
      input: "Hello",
      tools: NAMES.map((name) => ({ type: "function", name, parameters: PARAMETERS })),
      tool_choice: {
        type: "allowed_tools",
        mode,
        tools: ALLOWED.map((name) => ({ type: "function", name })),
      },
    }),
  ],
]

/** Returns every `name` in the entries of `tools`, and the tool choice. */
function sent(): { names: string[]; choice: JsonValue | undefined } {
  const body = gateway.simulator.requests.findLast(({ method }) => method === "POST")?.body
  if (!isJsonObject(body as JsonValue)) throw new Error("nothing was sent")
  const { tools, tool_choice: choice, toolConfig } = body as JsonObject
  const names = [...JSON.stringify(tools).matchAll(/"name":"(\w+)"/g)].map(([, name = ""]) => name)
  return { names, choice: choice ?? toolConfig }
}

const CHOICES: Readonly<Record<string, readonly [auto: unknown, required: unknown]>> = {
  "anthropic/claude-sonnet-4-5": [{ type: "auto" }, { type: "any" }],
  "google/gemini-3-flash": [
    { functionCallingConfig: { mode: "AUTO" } },
    { functionCallingConfig: { mode: "ANY" } },
  ],
  "cohere/command-a-03-2025": [undefined, "REQUIRED"],
}

describe.each(WAYS)("allowed_tools on %s", (path, bodyOf) => {
  test.each(Object.entries(CHOICES))(
    "reach %s as a shortened list of tools",
    async (model, choices) => {
      for (const [index, mode] of ["auto", "required"].entries()) {
        const response = await caller.post(path, bodyOf(model, mode))
        expect(response.status).toBe(200)
        expect(response.headers.get("x-tollgate-losses")).toBeNull()
        const { names, choice } = sent()
        expect(names).toEqual(ALLOWED)
        expect(choice).toEqual(choices[index] as JsonValue)
        const answer = (await response.json()) as JsonObject
        if (path === "/v1/responses") {
          expect(answer["tools"]).toHaveLength(NAMES.length)
          expect(answer["tool_choice"]).toEqual(bodyOf(model, mode).tool_choice as JsonValue)
        }
      }
    },
  )

  test("reach a vendor of the caller's dialect unchanged", async () => {
    const model = path === "/v1/responses" ? "responses/echo" : "sim/echo"
    const body = bodyOf(model, "auto")
    expect((await caller.post(path, body)).status).toBe(200)
    expect(sent()).toEqual({ names: NAMES, choice: body.tool_choice })
  })

  test("remove all tools if they name no tool of the request", async () => {
    const body = bodyOf("anthropic/claude-sonnet-4-5", "auto")
    const response = await caller.post(path, {
      ...body,
      tools: (body.tools as JsonValue[]).slice(1, 2),
    })
    expect(response.status).toBe(200)
    expect(JSON.stringify(gateway.simulator.requests.at(-1)?.body)).not.toContain('"read"')
  })
})

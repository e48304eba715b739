import { describe, expect, test } from "bun:test"
import { allowsModel } from "../../console/src/format/globs.ts"
import { keySnippets } from "../../console/src/format/key-snippets.ts"

const calling = { baseUrl: "https://gate.example/", key: "sk-tg-secret", model: "sandbox/echo" }

describe("the snippets for a first request", () => {
  const snippets = new Map(keySnippets(calling).map((snippet) => [snippet.id, snippet.code]))

  test("provides a snippet for each client", () => {
    expect([...snippets.keys()]).toEqual([
      "curl",
      "python",
      "node",
      "anthropic",
      "google",
      "ai-sdk",
      "langchain",
    ])
  })

  test.each(["python", "node", "ai-sdk", "langchain"])("%s gets the address with /v1", (id) => {
    expect(snippets.get(id)).toContain('"https://gate.example/v1"')
  })

  test("Anthropic's client gets the address without /v1", () => {
    expect(snippets.get("anthropic")).toContain('base_url="https://gate.example",')
  })

  test("Google's client gets the address without /v1", () => {
    expect(snippets.get("google")).toContain('baseUrl: "https://gate.example" }')
  })

  test("includes the key and the model in each snippet", () => {
    for (const code of snippets.values()) {
      expect(code).toContain("sk-tg-secret")
      expect(code).toContain("sandbox/echo")
    }
  })

  test("the shell snippet quotes any body as one word", async () => {
    const hostile = { ...calling, model: `it's "$(touch /tmp/x)" \\` }
    const [curl] = keySnippets(hostile)
    const echoed = Bun.spawnSync(["sh", "-c", `curl() { printf '%s\\n' "$@"; }; ${curl?.code}`])
    const body = echoed.stdout.toString().trim().split("\n").at(-1) ?? ""
    expect(JSON.parse(body).model).toBe(hostile.model)
  })
})

describe("the models that a key may call", () => {
  test.each([
    [null, "any/model", true],
    [["sandbox/*"], "sandbox/echo", true],
    [["sandbox/*"], "openai/echo", false],
    [["openai/gpt-?"], "openai/gpt-5", true],
    [["openai/gpt-?"], "openai/gpt-55", false],
    [["a.b/c"], "axb/c", false],
    [["x", "*"], "anything", true],
  ])("a key with %p may call %s: %p", (globs, model, isAllowed) => {
    expect(allowsModel(globs, model)).toBe(isAllowed)
  })
})

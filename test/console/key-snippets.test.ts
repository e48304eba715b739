import { describe, expect, test } from "bun:test"
import { keySnippets } from "../../console/src/format/key-snippets.ts"

const calling = { baseUrl: "https://gate.example/", key: "sk-tg-secret", model: "sandbox/echo" }

describe("snippets for a first request", () => {
  const snippets = new Map(keySnippets(calling).map((snippet) => [snippet.id, snippet.code]))

  test("exist for all clients", () => {
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

  test.each(["python", "node", "ai-sdk", "langchain"])("have the address with /v1 for %s", (id) => {
    expect(snippets.get(id)).toContain('"https://gate.example/v1"')
  })

  test("have the address without /v1 for Anthropic's client", () => {
    expect(snippets.get("anthropic")).toContain('base_url="https://gate.example",')
  })

  test("have the address without /v1 for Google's client", () => {
    expect(snippets.get("google")).toContain('baseUrl: "https://gate.example" }')
  })

  test("have the key and the model in their text", () => {
    for (const code of snippets.values()) {
      expect(code).toContain("sk-tg-secret")
      expect(code).toContain("sandbox/echo")
    }
  })

  test("use a quoted body that is a single word in the shell", async () => {
    const hostile = { ...calling, model: `it's "$(touch /tmp/x)" \\` }
    const [curl] = keySnippets(hostile)
    const echoed = Bun.spawnSync(["sh", "-c", `curl() { printf '%s\\n' "$@"; }; ${curl?.code}`])
    const body = echoed.stdout.toString().trim().split("\n").at(-1) ?? ""
    expect(JSON.parse(body).model).toBe(hostile.model)
  })
})

import { describe, expect, test } from "bun:test"
import {
  JAVASCRIPT_STYLE,
  literal,
  PYTHON_STYLE,
} from "../../console/src/pages/playground/code/literal.ts"
import {
  type OpenaiForm,
  operationSamples,
} from "../../console/src/pages/playground/code/operation-samples.ts"
import { chatSamples, shortened } from "../../console/src/pages/playground/code/samples.ts"
import {
  chatBody,
  DEFAULT_SETTINGS,
  type JsonObject,
} from "../../console/src/pages/playground/conversation.ts"

const BASE = "http://127.0.0.1:8787"
const IMAGE = `data:image/png;base64,${"A".repeat(400)}`

function sampleOf(id: string, body: Parameters<typeof chatSamples>[1]): string {
  return chatSamples(BASE, body).find((sample) => sample.id === id)?.code ?? ""
}

const settings = { ...DEFAULT_SETTINGS, system: "It's brief.", temperature: 1.5, effort: "high" }
const question = { text: 'Say "hi"\nand </script>', images: [{ name: "a.png", url: IMAGE }] }
const body = chatBody("a/b", { ...settings, extra: '{"top_k": 4}' }, [{ question, steps: [] }])

describe("code literals", () => {
  test("have the syntax of the language", () => {
    const value = { stream: true, off: false, none: null, "a-b": [1, "x"] }
    expect(literal(value, PYTHON_STYLE)).toBe(
      '{ "stream": True, "off": False, "none": None, "a-b": [1, "x"] }',
    )
    expect(literal(value, JAVASCRIPT_STYLE)).toBe(
      '{ stream: true, off: false, none: null, "a-b": [1, "x"] }',
    )
  })

  test("span several lines if they are long, and have the same value", () => {
    const value = { messages: [{ role: "user", content: "x".repeat(90) }], stream: true }
    const text = literal(value, JAVASCRIPT_STYLE)
    expect(text).toContain("\n")
    expect(new Function(`return ${text}`)()).toEqual(value)
  })
})

describe("a request shown as code", () => {
  test("contains the exact body for curl, including quotes", async () => {
    const command = sampleOf("curl", body).replace("curl -N", "printf '%s\\n'")
    const shell = Bun.spawnSync(["bash", "-c", command])
    const printed = shell.stdout.toString()
    expect(JSON.parse(printed.slice(printed.indexOf("\n{")))).toEqual(body)
  })

  test("passes unknown fields in extra_body for OpenAI's Python client", () => {
    const code = sampleOf("openai-python", body)
    expect(code).toContain(`base_url="${BASE}/v1"`)
    expect(code).toContain('extra_body={ "top_k": 4 }')
    expect(code).toContain("stream=True")
    expect(code).not.toContain("    top_k=")
  })

  test("contains the unchanged body for OpenAI's JavaScript client", () => {
    const code = sampleOf("openai-javascript", body)
    const [, argument] = /create\((\{[\s\S]*\})\)\nfor await/.exec(code) ?? []
    expect(new Function(`return ${argument}`)()).toEqual(body)
  })

  test("uses Anthropic's format for Anthropic's client", () => {
    const code = sampleOf("anthropic", body)
    expect(code).toContain(`base_url="${BASE}"`)
    expect(code).toContain('system="It\'s brief."')
    expect(code).toContain("temperature=1,")
    expect(code).toContain("max_tokens=4096")
    expect(code).toContain('"media_type": "image/png"')
    expect(code).toContain('extra_body={ "output_config": { "effort": "high" } }')
    expect(code).toContain("# 'top_k' has a different form")
  })

  test("uses Google's format for Google's client", () => {
    const code = sampleOf("google", body)
    expect(code).toContain(`baseUrl: "${BASE}"`)
    expect(code).toContain("// 'top_k' has a different form")
    const [, argument] = /Stream\((\{[\s\S]*\})\)\nfor await/.exec(code) ?? []
    expect(new Function(`return ${argument}`)()).toMatchObject({
      model: "a/b",
      contents: [
        {
          role: "user",
          parts: [{ inlineData: { mimeType: "image/png" } }, { text: 'Say "hi"\nand </script>' }],
        },
      ],
      config: {
        systemInstruction: "It's brief.",
        temperature: 1.5,
        thinkingConfig: { thinkingLevel: "HIGH" },
      },
    })
  })

  test("uses the option names of the AI SDK for the AI SDK", () => {
    const code = sampleOf("ai-sdk", body)
    expect(code).toContain('tollgate.chat("a/b")')
    expect(code).toContain('reasoningEffort: "high"')
    expect(code).toContain('mediaType: "image/png"')
  })

  test("contains no key", () => {
    for (const { code } of chatSamples(BASE, body)) expect(code).toContain("TOLLGATE_API_KEY")
  })

  test("shows shortened images, and is complete when copied", () => {
    const short = JSON.stringify(shortened(body))
    expect(short).not.toContain(IMAGE)
    expect(short).toContain("422 characters")
    const hi = chatBody("a/b", settings, [{ question: { text: "hi", images: [] }, steps: [] }])
    expect(shortened(hi)).toEqual(hi)
  })

  test("exists only in the format that was sent if the request has tools", () => {
    const ids = (body: JsonObject) => chatSamples(BASE, body).map(({ id }) => id)
    expect(ids(body)).toContain("anthropic")
    expect(ids({ ...body, tools: [] })).toEqual(["curl", "openai-python", "openai-javascript"])
  })
})

describe("an operation other than chat shown as code", () => {
  const body = { model: "a/b", input: ["x"] }
  const codes = (path: string, form?: OpenaiForm): string[] =>
    operationSamples(BASE, { path, body }, form).map(({ code }) => code)

  test("exists for every client that supports it", () => {
    const [curl, python, javascript] = codes("/v1/embeddings", {
      method: "embeddings.create",
      python: "print(answer)",
      javascript: "console.log(answer)",
    })
    expect(curl).toContain(`${BASE}/v1/embeddings`)
    expect(python).toContain('client.embeddings.create(\n    model="a/b",\n    input=["x"],\n)')
    expect(javascript).toContain('client.embeddings.create({ model: "a/b", input: ["x"] })')
    expect(javascript).toEndWith("console.log(answer)\n")
    expect(codes("/v1/rerank")[1]).toContain('JSON.stringify({ model: "a/b", input: ["x"] })')
  })
})

import { expect, test } from "bun:test"
import { modelAt, sixUpstreams, UPSTREAMS } from "../matrix/six-upstreams.ts"

const upstreams = sixUpstreams()

const TOOL = {
  type: "function",
  function: {
    name: "read",
    description: "Reads a file.",
    parameters: {
      type: "object",
      properties: { path: { type: "string" } },
      required: ["path"],
    },
    strict: false,
  },
}

/** Returns the body that pi sends for a model that reasons. */
function bodyFor(model: string) {
  return {
    model,
    messages: [
      { role: "developer", content: "You are an expert coding assistant." },
      { role: "user", content: [{ type: "text", text: 'call read {"path":"note.txt"}' }] },
    ],
    stream: true,
    stream_options: { include_usage: true },
    store: false,
    max_completion_tokens: 16_384,
    tools: [TOOL],
    reasoning_effort: "high",
  }
}

test.each(UPSTREAMS)(
  "strict requests of pi that forbid storage succeed at %s",
  async (upstream) => {
    const headers = { "user-agent": "pi/0.73.1", "x-tollgate-strict": "true" }
    const body = bodyFor(modelAt(upstream))
    const response = await upstreams.caller.post("/v1/chat/completions", body, headers)
    expect(await response.text()).toContain('"name":"read"')
    expect(response.headers.get("x-tollgate-losses")).toBeNull()
  },
)

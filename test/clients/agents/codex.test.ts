import { describe, expect, test } from "bun:test"
import { request } from "node:http"
import { modelAt, sixUpstreams, type Upstream, UPSTREAMS } from "../matrix/six-upstreams.ts"
import { ask, framesOf } from "./agent-requests.ts"

const upstreams = sixUpstreams()

const SESSION = "01a20526-9993-7823-806e-fb0e950d4d2f"

const HEADERS = {
  accept: "text/event-stream",
  originator: "codex_exec",
  version: "0.169.0",
  "user-agent": "codex_exec/0.169.0 (Debian 12.0.0; x86_64) unknown (codex_exec; 0.169.0)",
  "session-id": SESSION,
  "thread-id": SESSION,
  "x-client-request-id": SESSION,
  "x-codex-beta-features": "remote_compaction_v2",
  "x-codex-turn-metadata": JSON.stringify({ session_id: SESSION, request_kind: "turn" }),
  "x-codex-window-id": `${SESSION}:0`,
}

const schema = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
  additionalProperties: false,
})

const GRAMMAR = 'start: "*** Begin Patch" LF\n%import common.LF\n'

const TOOLS = [
  { type: "function", name: "exec_command", strict: false, parameters: schema("cmd") },
  {
    type: "custom",
    name: "apply_patch",
    description: "Edits files. This is a FREEFORM tool, so do not wrap the patch in JSON.",
    format: { type: "grammar", syntax: "lark", definition: GRAMMAR },
  },
  {
    type: "namespace",
    name: "mcp__notes",
    description: "Tools of a server.",
    tools: [{ type: "function", name: "add", strict: false, parameters: schema("text") }],
  },
  {
    type: "tool_search",
    execution: "client",
    description: "Searches over deferred tools.",
    parameters: schema("query"),
  },
  { type: "web_search", external_web_access: true, search_content_types: ["text", "image"] },
]

const PATCH = "*** Begin Patch\n*** Update File: note.txt\n@@\n-before\n+after\n*** End Patch"

const TASK = [
  'call exec_command {"cmd":"cat note.txt"}',
  `call apply_patch ${JSON.stringify({ input: PATCH })}`,
  'call mcp__notes__add {"text":"done"}',
].join("\n")

const INPUT = [
  ["developer", "You are a coding agent.", "model.base_instructions"],
  ["user", "<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>", "user.context"],
  ["user", TASK, "user.text"],
].map(([role, text, kind], index) => ({
  type: "message",
  id: `msg_01a20526-99c7-7ab1-9a60-97a87dc57f8${index}`,
  role,
  content: [{ type: "input_text", text }],
  internal_chat_message_metadata_passthrough: { turn_id: SESSION, content_item_kinds: [kind] },
}))

interface Item {
  readonly type: string
  readonly call_id?: string
}

/** For models with this setting, the conversation contains all tools. */
const ADDED = { type: "additional_tools", role: "developer", tools: TOOLS }

type Way = "listed" | "added"

function bodyFor(upstream: Upstream, input: readonly object[], way: Way): object {
  return {
    model: modelAt(upstream),
    stream: true,
    ...(way === "listed" ? { input, tools: TOOLS } : { input: [ADDED, ...input] }),
    tool_choice: "auto",
    parallel_tool_calls: true,
    reasoning: { effort: "medium", summary: "auto" },
    store: false,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: SESSION,
    text: { verbosity: "low" },
    client_metadata: { session_id: SESSION, "x-codex-window-id": `${SESSION}:0` },
  }
}

/**
 * Returns the items that Codex adds to its input after a response: the items of the response, and the results of its
 * tools.
 */
async function turn(
  upstream: Upstream,
  input: readonly object[],
  way: Way,
): Promise<readonly Item[]> {
  const body = bodyFor(upstream, input, way)
  const frames = await framesOf(
    await ask(upstreams, { path: "/v1/responses", headers: HEADERS, body }),
  )
  expect(frames[0]).toMatchObject({ type: "response.created" })
  expect(frames.at(-1)).toMatchObject({
    type: "response.completed",
    response: { usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) } },
  })
  return frames
    .filter(({ type }) => type === "response.output_item.done")
    .map(({ item }) => item as Item)
}

const isCall = ({ type }: Item) => type.endsWith("_call")

function outputOf({ type, call_id }: Item): object {
  return { type: `${type}_output`, call_id, id: `fco_${call_id}`, output: "done" }
}

describe.each(UPSTREAMS)("Codex with %s", (upstream) => {
  test.each(["listed", "added"] as const)(
    "calls a function, a tool with text input and a server tool, each in its own format, %s",
    async (way) => {
      let input: readonly object[] = INPUT
      const calls: Item[] = []
      for (;;) {
        const items = await turn(upstream, input, way)
        const call = items.find(isCall)
        if (call === undefined) break
        calls.push(call)
        input = [...input, ...items, outputOf(call)]
      }
      expect(calls).toMatchObject([
        { type: "function_call", name: "exec_command", arguments: '{"cmd":"cat note.txt"}' },
        { type: "custom_tool_call", name: "apply_patch", input: PATCH },
        {
          type: "function_call",
          name: "add",
          namespace: "mcp__notes",
          arguments: '{"text":"done"}',
        },
      ])
    },
  )
})

test("Codex's built-in provider tries a WebSocket first, and is rejected immediately", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  request(`${upstreams.gateway.url}/v1/responses`, {
    headers: {
      ...HEADERS,
      authorization: `Bearer ${upstreams.caller.key}`,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "/87QE3t42oDOZJC8g01Chg==",
      "sec-websocket-extensions": "permessage-deflate; client_max_window_bits",
      "openai-beta": "responses_websockets=2026-02-06",
    },
  })
    .on("response", (response) => resolve(response.resume().statusCode))
    .on("error", reject)
    .end()
  expect(await promise).toBe(426)
})

/** Responses of vendors that have searched the web, streamed and not streamed. */

type Json = Record<string, unknown>

export const OWLS = "https://example.com/owls"
export const MICE = "https://example.com/mice"

const CITED = { url: OWLS, title: "Owls" }

const sse = (event: Json): string =>
  `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`

/** Returns a response of OpenAI with two searches, one opened page, and text with citations. */
export function openAiResponse(): Json {
  const sources = [
    { type: "url", url: OWLS },
    { type: "url", url: MICE },
  ]
  const annotations = [{ type: "url_citation", ...CITED, start_index: 0, end_index: 5 }]
  const search = { type: "search", query: "owls", queries: ["owls", "owl food"], sources }
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "up",
    output: [
      { id: "rs_1", type: "reasoning", summary: [] },
      { id: "ws_1", type: "web_search_call", status: "completed", action: search },
      {
        id: "ws_2",
        type: "web_search_call",
        status: "completed",
        action: { type: "open_page", url: OWLS },
      },
      {
        id: "ws_3",
        type: "web_search_call",
        status: "failed",
        action: { type: "search", query: "x" },
      },
      {
        id: "msg_1",
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: "Hello", annotations, logprobs: [] }],
      },
    ],
    usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
  }
}

export function openAiFrames(): string[] {
  const response = openAiResponse()
  const begun = { ...response, status: "in_progress", output: [], usage: null }
  const events: Json[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
  ]
  for (const [output_index, item] of (response["output"] as Json[]).entries()) {
    const place = { output_index, item_id: item["id"] }
    const { action: _, content, ...head } = item
    const added = { ...head, ...(head["status"] ? { status: "in_progress" } : {}) }
    events.push({
      type: "response.output_item.added",
      output_index,
      item: content === undefined ? added : { ...added, content: [] },
    })
    if (item["type"] === "web_search_call") {
      for (const stage of ["in_progress", "searching", "completed"]) {
        events.push({ type: `response.web_search_call.${stage}`, ...place })
      }
    }
    if (content !== undefined) {
      const [part] = content as { text: string; annotations: Json[] }[]
      const at = { ...place, content_index: 0 }
      events.push(
        {
          type: "response.content_part.added",
          ...at,
          part: { ...part, text: "", annotations: [] },
        },
        { type: "response.output_text.delta", ...at, delta: part?.text, logprobs: [] },
        {
          type: "response.output_text.annotation.added",
          ...at,
          annotation_index: 0,
          annotation: part?.annotations[0],
        },
        { type: "response.output_text.done", ...at, text: part?.text, logprobs: [] },
        { type: "response.content_part.done", ...at, part },
      )
    }
    events.push({ type: "response.output_item.done", output_index, item })
  }
  events.push({ type: "response.completed", response })
  return events.map((event, sequence_number) => sse({ ...event, sequence_number }))
}

const USE = { type: "server_tool_use", id: "srvtoolu_01", name: "web_search" }
const FAILED_USE = { ...USE, id: "srvtoolu_02" }
const FOUND = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_01",
  content: [
    {
      type: "web_search_result",
      title: "Owls",
      url: OWLS,
      encrypted_content: "EuAdCio=",
      page_age: "2 weeks ago",
    },
    {
      type: "web_search_result",
      title: "Mice",
      url: MICE,
      encrypted_content: "EuB=",
      page_age: null,
    },
  ],
}
const NOT_FOUND = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_02",
  content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
}
const LOCATION = {
  type: "web_search_result_location",
  ...CITED,
  cited_text: "Owls",
  encrypted_index: "Eo8B",
}

/** Returns a message of Claude with a successful search, a failed search, and text. */
export function claudeResponse(): Json {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "up",
    content: [
      { ...USE, input: { query: "owls" } },
      FOUND,
      { ...FAILED_USE, input: { query: "x" } },
      NOT_FOUND,
      { type: "text", text: "Hello", citations: [LOCATION] },
    ],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 100,
      output_tokens: 10,
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    },
  }
}

export function claudeFrames(): string[] {
  const { content, usage, ...head } = claudeResponse()
  const start = {
    ...head,
    content: [],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const events: Json[] = [{ type: "message_start", message: start }, { type: "ping" }]
  for (const [index, block] of (content as Json[]).entries()) {
    const { input, text, citations: _, ...rest } = block
    const deltas: Json[] = []
    if (input !== undefined) {
      const written = JSON.stringify(input)
      for (const partial_json of ["", written.slice(0, 6), written.slice(6)]) {
        deltas.push({ type: "input_json_delta", partial_json })
      }
    }
    if (text !== undefined) {
      deltas.push({ type: "citations_delta", citation: LOCATION }, { type: "text_delta", text })
    }
    const begun = input === undefined ? rest : { ...rest, input: {} }
    const content_block = text === undefined ? begun : { ...rest, text: "", citations: [] }
    events.push({ type: "content_block_start", index, content_block })
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta })
    events.push({ type: "content_block_stop", index })
  }
  const delta = { stop_reason: "end_turn", stop_sequence: null }
  events.push({ type: "message_delta", delta, usage }, { type: "message_stop" })
  return events.map(sse)
}

const GROUNDING = {
  searchEntryPoint: { renderedContent: "<div>owls</div>" },
  webSearchQueries: ["owls", "owl food"],
  groundingChunks: [{ web: { uri: OWLS, title: "Owls" } }, { web: { uri: MICE, title: "Mice" } }],
  groundingSupports: [
    { segment: { startIndex: 0, endIndex: 5, text: "Hello" }, groundingChunkIndices: [0] },
  ],
}
const GEMINI_USAGE = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 }

/** Returns a response of Gemini that is grounded in search results. */
export function geminiResponse(): Json {
  return {
    candidates: [
      {
        content: { role: "model", parts: [{ text: "Hello" }] },
        finishReason: "STOP",
        index: 0,
        groundingMetadata: GROUNDING,
      },
    ],
    usageMetadata: GEMINI_USAGE,
    modelVersion: "up",
    responseId: "r1",
  }
}

export function geminiFrames(): string[] {
  const chunk = (text: string, more: Json = {}): string => {
    const candidate = { content: { role: "model", parts: [{ text }] }, index: 0, ...more }
    const response = {
      candidates: [candidate],
      usageMetadata: GEMINI_USAGE,
      modelVersion: "up",
      responseId: "r1",
    }
    return `data: ${JSON.stringify(response)}\r\n\r\n`
  }
  return [chunk("Hel"), chunk("lo", { finishReason: "STOP", groundingMetadata: GROUNDING })]
}

/** Returns the response of any vendor. */
export function searched(path: string, isStreamed: boolean): Json | string[] {
  if (path.endsWith("/responses")) return isStreamed ? openAiFrames() : openAiResponse()
  if (path.endsWith("/messages")) return isStreamed ? claudeFrames() : claudeResponse()
  return isStreamed ? geminiFrames() : geminiResponse()
}

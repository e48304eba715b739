import type { JsonObject } from "../../src/canon/json.ts"

const TOKEN = { token: "a", logprob: -0.1, bytes: [97], top_logprobs: [{ token: "a", logprob: 0 }] }
const SPAN = { start_index: 0, end_index: 1 }

/** Responses that are not streamed and contain each list that the gateway reads, by the format of the provider. */
export const RESPONSES: Readonly<Record<string, readonly JsonObject[]>> = {
  "openai-chat": [
    {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      citations: ["https://x.test/"],
      search_results: [{ url: "https://x.test/", title: "t" }],
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "a [1]",
            annotations: [
              { type: "url_citation", url_citation: { url: "u", title: "t", ...SPAN } },
              { type: "file_citation", file_id: "f" },
            ],
            reasoning_details: [{ type: "reasoning.text", text: "c" }],
            images: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }],
            tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
            own: ["a"],
          },
          logprobs: { content: [TOKEN], refusal: [TOKEN] },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, details: [{ tokens: 1 }] },
    },
    {
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: [
              { type: "thinking", thinking: [{ type: "text", text: "b" }] },
              { type: "text", text: "a" },
            ],
            annotations: [{ type: "file_citation", file_id: "f" }],
            reasoning_details: [{ type: "reasoning.encrypted", data: "c", id: "i" }],
          },
          finish_reason: "stop",
        },
      ],
    },
    {
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: [
              { type: "text", text: "a" },
              { type: "thinking", thinking: "b" },
            ],
            tool_calls: [{ id: "c", type: "custom", custom: { name: "f", input: "x" } }],
          },
          finish_reason: "tool_calls",
        },
      ],
    },
  ],
  "openai-responses": [
    {
      id: "resp_1",
      object: "response",
      status: "completed",
      model: "m",
      output: [
        {
          id: "msg_1",
          type: "message",
          role: "assistant",
          content: [
            {
              type: "output_text",
              text: "a",
              annotations: [{ type: "url_citation", url: "u", title: "t", ...SPAN }],
              logprobs: [TOKEN],
            },
          ],
        },
      ],
      tools: [{ type: "function", name: "f", parameters: {} }],
      usage: { input_tokens: 1, output_tokens: 1, details: [{ tokens: 1 }] },
    },
    {
      object: "response",
      status: "completed",
      output: [
        { content: [{ text: "a", annotations: [{ type: "file_citation", file_id: "f" }] }] },
      ],
    },
    {
      object: "response",
      status: "completed",
      output: [
        {
          type: "reasoning",
          summary: [{ type: "summary_text", text: "a" }],
          content: [{ type: "reasoning_text", text: "a" }],
        },
      ],
    },
    {
      object: "response",
      status: "completed",
      output: [
        {
          type: "web_search_call",
          status: "completed",
          action: {
            type: "search",
            queries: ["q"],
            sources: [{ type: "url", url: "https://x.test/" }],
          },
        },
      ],
    },
    {
      object: "response",
      status: "completed",
      output: [{ type: "code_interpreter_call", outputs: [{ type: "logs", logs: "a" }] }],
    },
    {
      object: "response",
      status: "completed",
      output: [{ type: "function_call", call_id: "c", name: "f", arguments: { list: [1] } }],
    },
  ],
  "anthropic-messages": [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        {
          type: "text",
          text: "a",
          citations: [
            { type: "web_search_result_location", url: "u", title: "t", cited_text: "a" },
          ],
        },
      ],
      stop_reason: "end_turn",
      context_management: { applied_edits: [{ type: "x" }] },
      usage: {
        input_tokens: 1,
        output_tokens: 1,
        iterations: [{ type: "compaction", input_tokens: 1, output_tokens: 1 }],
      },
    },
    {
      content: [
        {
          type: "web_search_tool_result",
          tool_use_id: "s",
          content: [{ type: "web_search_result", url: "https://x.test/", title: "t" }],
        },
        { type: "text", text: "a" },
      ],
      stop_reason: "end_turn",
    },
    {
      content: [{ type: "tool_use", id: "t", name: "f", input: { list: [{ a: 1 }] } }],
      stop_reason: "tool_use",
    },
    {
      content: [{ type: "thinking", thinking: "a", signature: "s" }],
      stop_reason: "end_turn",
    },
  ],
  gemini: [
    {
      candidates: [
        {
          index: 0,
          content: { role: "model", parts: [{ text: "a" }] },
          finishReason: "STOP",
          logprobsResult: {
            chosenCandidates: [{ token: "a", logProbability: 0 }],
            topCandidates: [{ candidates: [{ token: "a", logProbability: 0 }] }],
          },
          groundingMetadata: {
            groundingChunks: [{ web: { uri: "https://x.test/", title: "t" } }],
            groundingSupports: [
              { segment: { startIndex: 0, endIndex: 1 }, groundingChunkIndices: [0] },
            ],
            webSearchQueries: ["q"],
          },
          safetyRatings: [{ category: "x" }],
        },
      ],
      usageMetadata: {
        promptTokenCount: 1,
        candidatesTokenCount: 1,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 1 }],
        candidatesTokensDetails: [{ modality: "TEXT", tokenCount: 1 }],
        cacheTokensDetails: [{ modality: "TEXT", tokenCount: 1 }],
      },
    },
    {
      candidates: [
        {
          content: { parts: [{ text: "a", thought: true, thoughtSignature: "s" }, { text: "b" }] },
          citationMetadata: {
            citations: [{ startIndex: 0, endIndex: 1, uri: "u" }],
            citationSources: [{ startIndex: 0, endIndex: 1, uri: "u" }],
          },
          groundingMetadata: {
            groundingChunks: [{ retrievedContext: { uri: "u", text: "b" } }],
            webSearchQueries: ["q"],
          },
        },
      ],
    },
    {
      candidates: [
        {
          content: {
            parts: [{ functionCall: { name: "f", args: { list: [{ a: 1 }] } } }, { text: "b" }],
          },
        },
      ],
    },
    {
      candidates: [{ content: { parts: [{ executableCode: { language: "PYTHON", code: "a" } }] } }],
    },
  ],
  "bedrock-converse": [
    {
      output: { message: { role: "assistant", content: [{ text: "a" }] } },
      stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    },
    {
      output: {
        message: {
          role: "assistant",
          content: [
            {
              citationsContent: {
                content: [{ text: "a" }],
                citations: [
                  { title: "t", sourceContent: [{ text: "a" }], location: { web: { url: "u" } } },
                ],
              },
            },
          ],
        },
      },
      stopReason: "end_turn",
    },
    {
      output: {
        message: {
          content: [{ reasoningContent: { reasoningText: { text: "a", signature: "s" } } }],
        },
      },
      stopReason: "end_turn",
    },
    {
      output: {
        message: { content: [{ toolUse: { toolUseId: "t", name: "f", input: { list: [1] } } }] },
      },
      stopReason: "tool_use",
      additionalModelResponseFields: { list: [1] },
    },
  ],
  "cohere-chat": [
    {
      id: "x",
      finish_reason: "COMPLETE",
      message: {
        role: "assistant",
        content: [{ type: "text", text: "a" }],
        citations: [
          { start: 0, end: 1, sources: [{ type: "document", id: "d", document: { url: "u" } }] },
        ],
        own: [1],
      },
      logprobs: [{ token_ids: [1], text: "a", logprobs: [0] }],
      usage: { tokens: { input_tokens: 1, output_tokens: 1 } },
    },
    {
      finish_reason: "TOOL_CALL",
      message: {
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
    },
    {
      finish_reason: "COMPLETE",
      message: {
        content: [
          { type: "thinking", thinking: "a" },
          { type: "text", text: "b" },
        ],
      },
    },
  ],
}

import type { ServicePath } from "./service-routes.ts"

/** What the fields of a request may hold. A path names a field; `messages[].content` is that of each message. */
export interface RequestLimits {
  /** The number of elements of a list. */
  readonly lists: Readonly<Record<string, number>>
  /** The number of members of an object whose names callers choose. */
  readonly maps: Readonly<Record<string, number>>
  /** Fields that are text. */
  readonly texts: readonly string[]
  /** The number of characters of a text, or of all texts of a list together. */
  readonly lengths?: Readonly<Record<string, number>>
  /** A list that may be one text as its tokens: then its elements are only counted as values. */
  readonly tokens?: string
}

/** The number of values of a JSON body: lists, objects, members and elements. */
export const MAX_VALUES = 200_000
/** The same for embeddings, whose texts may be lists of tokens. Providers take 300,000 tokens. */
export const MAX_EMBEDDING_VALUES = 1_100_000
/** The number of members of one object: an engine sorts names that are numbers each time it lists them. */
export const MAX_OBJECT_MEMBERS = 10_000
/** The number of members of a body. */
export const MAX_MEMBERS = 2_048

/** OpenAI takes 2,048 messages. */
const MESSAGES = 10_000
const PARTS = 10_000
/** Anthropic takes 10,000 tools. */
const TOOLS = 10_000
/** Amazon Bedrock takes 2,500 stop sequences, others 4 to 16. */
const STOPS = 2_500
/** The characters of all stop sequences together: each character of an answer is compared with them. */
const STOP_LENGTH = 65_536
/** Vendors take 2,048 texts at most. */
const TEXTS = 10_000
/** Cohere takes 10,000 documents. */
const DOCUMENTS = 10_000
const OTHERS = 2_048
/** OpenAI takes 300. */
const BIASES = 10_000

const CHAT: RequestLimits = {
  lists: {
    messages: MESSAGES,
    "messages[].content": PARTS,
    "messages[].tool_calls": PARTS,
    tools: TOOLS,
    functions: TOOLS,
    stop: STOPS,
    modalities: OTHERS,
  },
  maps: { metadata: OTHERS, logit_bias: BIASES },
  texts: ["model", "messages[].content", "stop", "user", "prompt_cache_key"],
  lengths: { stop: STOP_LENGTH },
}

const MESSAGES_API: RequestLimits = {
  lists: {
    messages: MESSAGES,
    "messages[].content": PARTS,
    system: PARTS,
    tools: TOOLS,
    stop_sequences: STOPS,
    mcp_servers: OTHERS,
  },
  maps: { metadata: OTHERS },
  texts: ["model", "messages[].content", "system"],
  lengths: { stop_sequences: STOP_LENGTH },
}

const RESPONSES: RequestLimits = {
  lists: { input: MESSAGES, "input[].content": PARTS, tools: TOOLS, include: OTHERS },
  maps: { metadata: OTHERS },
  texts: ["model", "instructions", "input", "input[].content"],
}

const GEMINI: RequestLimits = {
  lists: {
    contents: MESSAGES,
    "contents[].parts": PARTS,
    "systemInstruction.parts": PARTS,
    tools: TOOLS,
    "tools[].functionDeclarations": TOOLS,
    safetySettings: OTHERS,
    "generationConfig.stopSequences": STOPS,
    "toolConfig.functionCallingConfig.allowedFunctionNames": TOOLS,
  },
  maps: { labels: OTHERS },
  texts: ["cachedContent"],
  lengths: { "generationConfig.stopSequences": STOP_LENGTH },
}

const RERANK: RequestLimits = {
  lists: { documents: DOCUMENTS, rank_fields: OTHERS },
  maps: {},
  texts: ["model", "query"],
}

/** The limits of the fields of each endpoint that takes JSON; each is far above what providers take. */
export const REQUEST_LIMITS = {
  "/v1/chat/completions": CHAT,
  "/v1/messages": MESSAGES_API,
  "/v1/messages/count_tokens": MESSAGES_API,
  "/v1/responses": RESPONSES,
  "/v1/responses/input_tokens": RESPONSES,
  "/v1/responses/compact": RESPONSES,
  "/v1beta/models/{id}:generateContent": GEMINI,
  "/v1beta/models/{id}:streamGenerateContent": GEMINI,
  "/v1beta/models/{id}:countTokens": GEMINI,
  "/v1beta/models/{id}:embedContent": {
    lists: { "content.parts": PARTS },
    maps: {},
    texts: ["title", "taskType"],
  },
  "/v1beta/models/{id}:batchEmbedContents": {
    lists: { requests: TEXTS, "requests[].content.parts": PARTS },
    maps: {},
    texts: [],
  },
  "/v1/embeddings": {
    lists: { input: TEXTS },
    maps: {},
    texts: ["model", "input", "user"],
    tokens: "input",
  },
  "/v1/rerank": RERANK,
  "/v2/rerank": RERANK,
  "/v1/images/generations": { lists: {}, maps: {}, texts: ["model", "prompt", "user"] },
  "/v1/audio/speech": { lists: {}, maps: {}, texts: ["model", "input", "instructions"] },
  "/v1/estimate": { lists: {}, maps: {}, texts: ["path"] },
} as const satisfies Partial<Record<ServicePath, RequestLimits>>

/** An endpoint that takes JSON. */
export type LimitedPath = keyof typeof REQUEST_LIMITS

/**
 * The maximum sizes of the fields of a request. A path names a field. For example, `messages[].content` is the content
 * of each message.
 */
export interface RequestLimits {
  /** Maximum number of elements of each list. */
  readonly lists: Readonly<Record<string, number>>
  /** Maximum number of members of each object whose member names the caller chooses. */
  readonly maps: Readonly<Record<string, number>>
  /** Fields that are text. */
  readonly texts: readonly string[]
  /** Maximum number of characters of a text, or of all texts of a list together. */
  readonly lengths?: Readonly<Record<string, number>>
  /**
   * The path of a list that may also be a single text in the form of tokens. Its elements then count only as values.
   */
  readonly tokens?: string
}

/** Maximum number of values in a JSON body, counting lists, objects, members and elements. */
export const MAX_VALUES = 200_000
/** `MAX_VALUES` for embeddings, whose texts may be lists of tokens. Providers accept 300,000 tokens. */
export const MAX_EMBEDDING_VALUES = 1_100_000
/**
 * Maximum number of members of one object. The JavaScript engine sorts numeric names each time that it lists the
 * members.
 */
export const MAX_OBJECT_MEMBERS = 10_000
/**
 * Maximum number of members, in all objects of a body, whose names start with a digit. The JavaScript engine sorts such
 * names.
 */
export const MAX_NUMBERED_MEMBERS = 20_000
/** Maximum number of members of the top-level object of a body. */
export const MAX_MEMBERS = 2_048

/** OpenAI accepts 2,048 messages. */
const MESSAGES = 10_000
export const MAX_PARTS = 10_000
/** Anthropic accepts 10,000 tools. */
const TOOLS = 10_000
/** Amazon Bedrock accepts 2,500 stop sequences, other providers 4 to 16. */
const STOPS = 2_500
/** Maximum total length of all stop sequences in characters. Each character of a response is compared with them. */
const STOP_LENGTH = 65_536
/** Vendors accept at most 2,048 texts. */
export const MAX_TEXTS = 10_000
/** Cohere accepts 10,000 documents. */
const DOCUMENTS = 10_000
const OTHERS = 2_048
/**
 * Maximum length of a tool's grammar in characters. OpenAI rejects grammars that take a long time to compile, which
 * includes most grammars of 10 KB.
 */
const GRAMMAR_LENGTH = 65_536
/** Maximum characters of a tool's name. Providers accept 64 to 128. */
const NAME_LENGTH = 1_024
/** OpenAI accepts 300. */
const BIASES = 10_000

export const CHAT_LIMITS: RequestLimits = {
  lists: {
    messages: MESSAGES,
    "messages[].content": MAX_PARTS,
    "messages[].tool_calls": MAX_PARTS,
    tools: TOOLS,
    functions: TOOLS,
    stop: STOPS,
    modalities: OTHERS,
  },
  maps: { metadata: OTHERS, logit_bias: BIASES },
  texts: ["model", "messages[].content", "stop", "user", "prompt_cache_key"],
  lengths: {
    stop: STOP_LENGTH,
    "tools[].function.name": NAME_LENGTH,
    "tools[].custom.name": NAME_LENGTH,
    "tools[].custom.format.grammar.definition": GRAMMAR_LENGTH,
    "functions[].name": NAME_LENGTH,
    "messages[].tool_calls[].function.name": NAME_LENGTH,
    "messages[].tool_calls[].custom.name": NAME_LENGTH,
  },
}

export const MESSAGES_LIMITS: RequestLimits = {
  lists: {
    messages: MESSAGES,
    "messages[].content": MAX_PARTS,
    system: MAX_PARTS,
    tools: TOOLS,
    stop_sequences: STOPS,
    mcp_servers: OTHERS,
  },
  maps: { metadata: OTHERS },
  texts: ["model", "messages[].content", "system"],
  lengths: {
    stop_sequences: STOP_LENGTH,
    "tools[].name": NAME_LENGTH,
    "messages[].content[].name": NAME_LENGTH,
  },
}

export const RESPONSES_LIMITS: RequestLimits = {
  lists: { input: MESSAGES, "input[].content": MAX_PARTS, tools: TOOLS, include: OTHERS },
  maps: { metadata: OTHERS },
  texts: ["model", "instructions", "input", "input[].content"],
  lengths: {
    "tools[].name": NAME_LENGTH,
    "tools[].format.definition": GRAMMAR_LENGTH,
    "tools[].tools[].name": NAME_LENGTH,
    "input[].name": NAME_LENGTH,
    "input[].namespace": NAME_LENGTH,
    "input[].tools[].name": NAME_LENGTH,
    "input[].tools[].tools[].name": NAME_LENGTH,
  },
}

export const GEMINI_LIMITS: RequestLimits = {
  lists: {
    contents: MESSAGES,
    "contents[].parts": MAX_PARTS,
    "systemInstruction.parts": MAX_PARTS,
    tools: TOOLS,
    "tools[].functionDeclarations": TOOLS,
    safetySettings: OTHERS,
    "generationConfig.stopSequences": STOPS,
    "toolConfig.functionCallingConfig.allowedFunctionNames": TOOLS,
  },
  maps: { labels: OTHERS },
  texts: ["cachedContent"],
  lengths: {
    "generationConfig.stopSequences": STOP_LENGTH,
    "tools[].functionDeclarations[].name": NAME_LENGTH,
    "contents[].parts[].functionCall.name": NAME_LENGTH,
    "contents[].parts[].functionResponse.name": NAME_LENGTH,
  },
}

export const RERANK_LIMITS: RequestLimits = {
  lists: { documents: DOCUMENTS, rank_fields: OTHERS },
  maps: {},
  texts: ["model", "query"],
}

/** One turn of a conversation. */
export interface Turn {
  readonly role: "system" | "user" | "assistant"
  readonly text?: string
  /** How many images come before the text. */
  readonly images?: number
  /** Whether the turn has a cache mark. */
  readonly isMarked?: true
  /** The id of a call of the tool `look` by the assistant. */
  readonly call?: string
  /** The id of the call that the user's turn has the result of, before the text. */
  readonly result?: string
}

export interface OfferedTool {
  readonly name: string
  readonly isStrict?: true
  readonly parameters?: object
}

/** A request as any client can mean it. Each format writes it in its own way. */
export interface Situation {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly logprobs?: true
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly choices?: number
  readonly effort?: string
  /** Tokens of reasoning. */
  readonly budget?: number
  readonly user?: string
  readonly safetyIdentifier?: string
  readonly cacheKey?: string
  readonly verbosity?: string
  readonly tools?: readonly OfferedTool[]
  readonly choice?: "required" | "none"
  readonly schema?: object
  readonly isJson?: true
  readonly turns?: readonly Turn[]
}

export const FORMATS = ["chat", "responses", "messages", "gemini"] as const
export type Format = (typeof FORMATS)[number]

/** The formats in which a vendor gets requests as their callers wrote them, since it is their maker. */
export const OWN_FORMATS: Readonly<Record<string, readonly Format[] | undefined>> = {
  openai: ["chat", "responses"],
  azure: ["chat", "responses"],
  anthropic: ["messages"],
  google: ["gemini"],
}

export interface WrittenRequest {
  readonly path: string
  readonly body: object
}

/** What a format cannot express. */
const LACKS: Readonly<Record<Format, readonly (keyof Situation)[]>> = {
  chat: ["topK", "budget"],
  responses: ["topK", "budget", "presencePenalty", "frequencyPenalty", "seed", "stop", "choices"],
  messages: [
    "presencePenalty",
    "frequencyPenalty",
    "logprobs",
    "seed",
    "choices",
    "safetyIdentifier",
    "cacheKey",
    "verbosity",
    "isJson",
  ],
  gemini: ["user", "safetyIdentifier", "cacheKey", "verbosity"],
}

const HELLO: readonly Turn[] = [{ role: "user", text: "Hello" }]
const PARAMETERS = { type: "object", properties: {}, required: [], additionalProperties: false }
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** The formats that can express a situation. */
export function expressible(situation: Situation): readonly Format[] {
  return FORMATS.filter((format) => written(format, "m", situation, false) !== undefined)
}

/** @returns undefined if the format cannot express the situation. */
export function written(
  format: Format,
  model: string,
  situation: Situation,
  stream: boolean,
): WrittenRequest | undefined {
  if (LACKS[format].some((name) => situation[name] !== undefined)) return undefined
  const turns = situation.turns ?? HELLO
  const has = (holds: (turn: Turn) => boolean): boolean => turns.some((turn) => holds(turn))
  const isStrict = situation.tools?.some((tool) => tool.isStrict) === true
  const isMarked = has((turn) => turn.isMarked === true)
  if (format === "gemini" && (isStrict || isMarked)) return undefined
  if (format === "responses" && isMarked) return undefined
  const asked = { ...situation, turns }
  switch (format) {
    case "chat":
      return { path: "/v1/chat/completions", body: { model, stream, ...chat(asked) } }
    case "responses":
      return { path: "/v1/responses", body: { model, stream, ...responses(asked) } }
    case "messages":
      return {
        path: "/v1/messages",
        body: { model, stream, max_tokens: (situation.budget ?? 0) + 900, ...messages(asked) },
      }
    case "gemini": {
      const method = stream ? "streamGenerateContent?alt=sse" : "generateContent"
      return { path: `/v1beta/models/${model}:${method}`, body: gemini(asked) }
    }
  }
}

type Asked = Situation & { readonly turns: readonly Turn[] }

/** Without absent members. */
function present(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

function images<Part>(count: number | undefined, part: Part): Part[] {
  return Array.from({ length: count ?? 0 }, () => part)
}

function chat(asked: Asked): object {
  const { schema, tools, turns } = asked
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }
  return present({
    messages: turns.flatMap((turn): object | object[] => {
      const { role, text = "", images: count, isMarked, call, result } = turn
      if (result !== undefined) {
        const answer = { role: "tool", tool_call_id: result, content: "seen" }
        return text === "" ? answer : [answer, { role, content: text }]
      }
      if (call !== undefined) {
        const made = { id: call, type: "function", function: { name: "look", arguments: "{}" } }
        return { role, content: null, tool_calls: [made] }
      }
      if (count === undefined && isMarked === undefined) return { role, content: text }
      const mark = isMarked && { cache_control: { type: "ephemeral" } }
      return { role, content: [...images(count, image), { type: "text", text, ...mark }] }
    }),
    temperature: asked.temperature,
    top_p: asked.topP,
    presence_penalty: asked.presencePenalty,
    frequency_penalty: asked.frequencyPenalty,
    logprobs: asked.logprobs,
    seed: asked.seed,
    stop: asked.stop,
    n: asked.choices,
    reasoning_effort: asked.effort,
    user: asked.user,
    safety_identifier: asked.safetyIdentifier,
    prompt_cache_key: asked.cacheKey,
    verbosity: asked.verbosity,
    tools: tools?.map(({ name, isStrict, parameters = PARAMETERS }) => ({
      type: "function",
      function: present({ name, parameters, strict: isStrict }),
    })),
    tool_choice: asked.choice,
    response_format: schema
      ? { type: "json_schema", json_schema: { name: "r", strict: true, schema } }
      : asked.isJson && { type: "json_object" },
  })
}

function responses(asked: Asked): object {
  const { schema, tools, turns, effort, logprobs } = asked
  const image = { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "auto" }
  const format = schema
    ? { type: "json_schema", name: "r", strict: true, schema }
    : asked.isJson && { type: "json_object" }
  const text = present({ format, verbosity: asked.verbosity })
  return present({
    input: turns.flatMap((turn): object | object[] => {
      const { role, text: said = "", images: count, call, result } = turn
      if (result !== undefined) {
        const answer = { type: "function_call_output", call_id: result, output: "seen" }
        return said === "" ? answer : [answer, { role, content: said }]
      }
      if (call !== undefined) {
        return { type: "function_call", call_id: call, name: "look", arguments: "{}" }
      }
      const type = role === "assistant" ? "output_text" : "input_text"
      return { role, content: [...images(count, image), { type, text: said }] }
    }),
    temperature: asked.temperature,
    top_p: asked.topP,
    top_logprobs: logprobs && 1,
    include: logprobs && ["message.output_text.logprobs"],
    reasoning: effort === undefined ? undefined : { effort },
    user: asked.user,
    safety_identifier: asked.safetyIdentifier,
    prompt_cache_key: asked.cacheKey,
    text: Object.keys(text).length > 0 ? text : undefined,
    tools: tools?.map(({ name, isStrict, parameters = PARAMETERS }) =>
      present({ type: "function", name, parameters, strict: isStrict ?? false }),
    ),
    tool_choice: asked.choice,
  })
}

function messages(asked: Asked): object {
  const { schema, tools, turns, effort, budget, choice } = asked
  const source = { type: "base64", media_type: "image/png", data: PNG }
  const output = present({
    effort: effort === "none" ? undefined : effort,
    format: schema && { type: "json_schema", schema },
  })
  const instructions = turns.filter(({ role }) => role === "system")
  const marked = (turn: Turn): object | undefined =>
    turn.isMarked && { cache_control: { type: "ephemeral" } }
  return present({
    system:
      instructions.length === 0
        ? undefined
        : instructions.map((turn) => ({ type: "text", text: turn.text, ...marked(turn) })),
    messages: turns
      .filter(({ role }) => role !== "system")
      .map((turn) => {
        const { role, text, images: count, call, result } = turn
        const content = [
          ...(result === undefined
            ? []
            : [{ type: "tool_result", tool_use_id: result, content: "seen" }]),
          ...images(count, { type: "image", source }),
          ...(text === undefined ? [] : [{ type: "text", text, ...marked(turn) }]),
          ...(call === undefined ? [] : [{ type: "tool_use", id: call, name: "look", input: {} }]),
        ]
        return { role, content }
      }),
    temperature: asked.temperature,
    top_p: asked.topP,
    top_k: asked.topK,
    stop_sequences: asked.stop,
    metadata: asked.user === undefined ? undefined : { user_id: asked.user },
    thinking: thinkingOf(effort, budget),
    output_config: Object.keys(output).length > 0 ? output : undefined,
    tools: tools?.map(({ name, isStrict, parameters = PARAMETERS }) =>
      present({ name, input_schema: parameters, strict: isStrict }),
    ),
    tool_choice: choice && { type: choice === "required" ? "any" : "none" },
  })
}

function thinkingOf(effort: string | undefined, budget: number | undefined): object | undefined {
  if (budget !== undefined) return { type: "enabled", budget_tokens: budget }
  if (effort === undefined) return undefined
  return { type: effort === "none" ? "disabled" : "adaptive" }
}

function gemini(asked: Asked): object {
  const { schema, tools, turns, effort, budget, choice } = asked
  const inlineData = { mimeType: "image/png", data: PNG }
  const instructions = turns.filter(({ role }) => role === "system")
  const mode = choice === "required" ? "ANY" : "NONE"
  const thinking =
    effort === "none" || budget !== undefined
      ? { thinkingBudget: budget ?? 0 }
      : effort && { thinkingLevel: effort.toUpperCase() }
  return present({
    systemInstruction:
      instructions.length === 0 ? undefined : { parts: instructions.map(({ text }) => ({ text })) },
    contents: turns
      .filter(({ role }) => role !== "system")
      .map(({ role, text, images: count, call, result }) => ({
        role: role === "assistant" ? "model" : "user",
        parts: [
          ...(result === undefined
            ? []
            : [{ functionResponse: { id: result, name: "look", response: { text: "seen" } } }]),
          ...images(count, { inlineData }),
          ...(text === undefined ? [] : [{ text }]),
          ...(call === undefined ? [] : [{ functionCall: { id: call, name: "look", args: {} } }]),
        ],
      })),
    generationConfig: present({
      temperature: asked.temperature,
      topP: asked.topP,
      topK: asked.topK,
      presencePenalty: asked.presencePenalty,
      frequencyPenalty: asked.frequencyPenalty,
      responseLogprobs: asked.logprobs,
      logprobs: asked.logprobs && 1,
      seed: asked.seed,
      stopSequences: asked.stop,
      candidateCount: asked.choices,
      thinkingConfig: thinking || undefined,
      responseMimeType: schema || asked.isJson ? "application/json" : undefined,
      responseJsonSchema: schema,
    }),
    tools: tools && [
      {
        functionDeclarations: tools.map(({ name, parameters = PARAMETERS }) => ({
          name,
          parametersJsonSchema: parameters,
        })),
      },
    ],
    toolConfig: choice && { functionCallingConfig: { mode } },
  })
}

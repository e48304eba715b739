import type { Situation, Turn } from "./situation.ts"

const PARAMETERS = { type: "object", properties: {}, required: [], additionalProperties: false }
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** A situation with all turns of its conversation. */
export type Asked = Situation & { readonly turns: readonly Turn[] }

/** Omits absent members. */
function present(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

function images<Part>(count: number | undefined, part: Part): Part[] {
  return Array.from({ length: count ?? 0 }, () => part)
}

/** Returns a body in the format `chat`. */
export function chat(asked: Asked): object {
  const { schema, tools, turns } = asked
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }
  return present({
    messages: turns.flatMap((turn): object | object[] => {
      const { role, text = "", images: count, isMarked, call, result } = turn
      if (result !== undefined) {
        const response = { role: "tool", tool_call_id: result, content: "seen" }
        return text === "" ? response : [response, { role, content: text }]
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

/** Returns a body in the format `responses`. */
export function responses(asked: Asked): object {
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
        const response = { type: "function_call_output", call_id: result, output: "seen" }
        return said === "" ? response : [response, { role, content: said }]
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

/** Returns a body in the format `messages`. */
export function messages(asked: Asked): object {
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

/** Returns a body in the format `gemini`. */
export function gemini(asked: Asked): object {
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

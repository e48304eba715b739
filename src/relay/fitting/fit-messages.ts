import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { Loss } from "../../canon/extra.ts"
import { knownImageType } from "../../canon/media-source.ts"
import type { CacheMarker, MediaSource, Message, Part, Role } from "../../canon/message.ts"
import type { Writable } from "../../canon/writable.ts"
import { mapParts } from "./fit-tools.ts"

/** The messages that are added if a model requires one. The providers' own clients use the same texts. */
const CONTINUE: Message = { role: "user", parts: [{ type: "text", text: "Continue." }] }
const UNDERSTOOD: Message = { role: "assistant", parts: [{ type: "text", text: "Understood." }] }
const APPROXIMATED: Loss = { name: "messages", effect: "approximated" }

/** Fits the messages of a request to the model: their order, their images and their cache markers. */
export function fitMessages(
  request: Writable<ChatRequest>,
  rules: ModelRules,
  losses: Loss[],
): void {
  fitTurns(request, rules, losses)
  fitImages(request, rules.max_images, losses)
  fitCacheMarks(request, rules.max_cache_marks, losses)
}

function fitTurns(request: Writable<ChatRequest>, rules: ModelRules, losses: Loss[]): void {
  const given = request.messages
  let turns = rules.instructions_first === true ? instructionsFirst(given) : given
  if (turns !== given) losses.push({ name: "system.position", effect: "approximated" })
  const ordered = turns
  if (rules.turns_answer_results === true) turns = answersToResults(turns, losses)
  if (rules.turns_alternate === true) turns = alternating(turns)
  if (isUnfinished(turns)) {
    const { prefill_field: field = "any" } = rules
    if (rules.turns_end_with_user === true) turns = [...turns, CONTINUE]
    else if (field !== "any") {
      request.messages = prefilled(turns, field)
      if (turns !== ordered) losses.push(APPROXIMATED)
      return
    }
  }
  if (turns !== ordered) losses.push(APPROXIMATED)
  request.messages = turns
}

function isInstruction({ role }: Message): boolean {
  return role === "system" || role === "developer"
}

function instructionsFirst(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex((message) => !isInstruction(message))
  if (first === -1 || !messages.slice(first).some(isInstruction)) return messages
  return [...messages.filter(isInstruction), ...messages.filter((each) => !isInstruction(each))]
}

/**
 * Whether the conversation ends with text of the assistant. It does not count as unfinished if it ends with calls,
 * which wait for results, or with a search.
 */
function isUnfinished(messages: readonly Message[]): boolean {
  const last = messages.findLast((message) => !isInstruction(message))
  if (last?.role !== "assistant") return false
  const type = last.parts.at(-1)?.type
  return type === undefined || type === "text" || type === "refusal"
}

function prefilled(messages: readonly Message[], field: string): readonly Message[] {
  const place = messages.findLastIndex((message) => !isInstruction(message))
  const message = messages[place]
  const own = message?.extra?.dialect === "openai-chat" ? message.extra.fields : {}
  if (message === undefined || own[field] === true) return messages
  const extra = { dialect: "openai-chat" as const, fields: { ...own, [field]: true } }
  return messages.with(place, { ...message, extra })
}

/**
 * Inserts an assistant turn between tool results and the next user turn. Media in a result become a user turn, because
 * results are text at these providers.
 */
function answersToResults(messages: readonly Message[], losses: Loss[]): readonly Message[] {
  let isChanged = false
  const turns = messages.flatMap((message, index): Message[] => {
    if (message.role !== "tool") return [message]
    const isLast = messages[index + 1]?.role !== "tool"
    const shown = isLast ? mediaBefore(messages, index) : []
    const next = messages[index + 1]?.role
    const parts = message.parts.map(withoutMedia)
    const results = shown.length === 0 && parts.every((part, at) => part === message.parts[at])
    const result = results ? message : { ...message, parts }
    if (!isLast || (shown.length === 0 && next !== "user")) return [result]
    isChanged = true
    if (shown.length > 0) losses.push({ name: "tool_result.media", effect: "approximated" })
    const turn: Message[] = shown.length === 0 ? [] : [{ role: "user", parts: shown }]
    return [result, UNDERSTOOD, ...turn]
  })
  return isChanged ? turns : messages
}

/** Returns the media of a sequence of tool results that ends at a message. */
function mediaBefore(messages: readonly Message[], end: number): Part[] {
  let start = end
  while (messages[start - 1]?.role === "tool") start--
  return messages
    .slice(start, end + 1)
    .flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === "tool-result" ? part.content.filter(({ type }) => type !== "text") : [],
      ),
    )
}

function withoutMedia(part: Part): Part {
  if (part.type !== "tool-result") return part
  const content = part.content.filter(({ type }) => type === "text")
  return content.length === part.content.length ? part : { ...part, content }
}

/** Joins consecutive messages of the same role. */
function alternating(messages: readonly Message[]): readonly Message[] {
  const turns: Message[] = []
  /** The parts of the last turn, if it was joined from several messages. */
  let joined: Part[] | undefined
  for (const message of messages) {
    const last = turns.at(-1)
    if (last === undefined || !isJoined(last.role, message.role)) {
      turns.push(message)
      joined = undefined
      continue
    }
    if (joined === undefined) {
      joined = [...last.parts]
      turns[turns.length - 1] = { ...last, parts: joined }
    }
    for (const part of message.parts) joined.push(part)
  }
  return turns.length === messages.length ? messages : turns
}

function isJoined(role: Role, next: Role): boolean {
  return role === next && (role === "user" || role === "assistant")
}

/** Drops the oldest images. Agents collect screenshots, and the newest ones matter most. */
function fitImages(request: Writable<ChatRequest>, max: number | undefined, losses: Loss[]): void {
  if (max === undefined) return
  let excess = countImages(request.messages) - max
  if (excess <= 0) return
  const omitted = (part: Part): Part => {
    if (part.type === "tool-result") {
      const content = part.content.map((inner) => omitted(inner) as typeof inner)
      return content.every((inner, index) => inner === part.content[index])
        ? part
        : { ...part, content }
    }
    if (part.type !== "image" || excess <= 0) return part
    excess--
    return { type: "text", text: "[An earlier image was left out.]" }
  }
  request.messages = mapParts(request.messages, omitted)
  losses.push({ name: "image", effect: "dropped" })
}

function countImages(messages: readonly Message[]): number {
  let count = 0
  const visit = (part: Part): void => {
    if (part.type === "image") count++
    if (part.type === "tool-result") part.content.forEach(visit)
  }
  for (const { parts } of messages) parts.forEach(visit)
  return count
}

type Marked = Extract<Part, { readonly cache?: CacheMarker }>

/** Keeps the last cache markers, which also cover the text before the first markers. */
function fitCacheMarks(
  request: Writable<ChatRequest>,
  max: number | undefined,
  losses: Loss[],
): void {
  if (max === undefined) return
  const { tools = [] } = request
  const marks = request.messages.reduce(
    (count, { parts }) => count + parts.filter(isMarked).length,
    tools.filter(({ cache }) => cache !== undefined).length,
  )
  let excess = marks - max
  if (excess <= 0) return
  losses.push({ name: "cache_control", effect: "approximated" })
  const unmarked = <Value extends { readonly cache?: CacheMarker }>(value: Value): Value => {
    if (value.cache === undefined || excess <= 0) return value
    excess--
    const { cache: _, ...rest } = value
    return rest as Value
  }
  if (tools.length > 0) request.tools = tools.map(unmarked)
  request.messages = mapParts(request.messages, (part) => (isMarked(part) ? unmarked(part) : part))
}

function isMarked(part: Part): part is Marked {
  return "cache" in part && part.cache !== undefined
}

/** Corrects the declared media type of images whose bytes have another type. */
export function withImageTypes(messages: readonly Message[]): readonly Message[] {
  const typed = (part: Part): Part => {
    if (part.type === "tool-result") {
      const content = part.content.map((inner) => typed(inner) as typeof inner)
      return content.every((inner, index) => inner === part.content[index])
        ? part
        : { ...part, content }
    }
    if (part.type !== "image") return part
    const source = typedSource(part.source)
    return source === part.source ? part : { ...part, source }
  }
  return mapParts(messages, typed)
}

function typedSource(source: MediaSource): MediaSource {
  if (source.type !== "base64") return source
  const mediaType = knownImageType(source.data)
  return mediaType === undefined || mediaType === source.mediaType
    ? source
    : { ...source, mediaType }
}
